/** Lets a limited number of tasks run at a time and a limited number wait. */
export class Line {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly waitingLimit: number,
  ) {}

  /** Whether another task would be turned away. */
  get full(): boolean {
    return this.running >= this.atOnce && this.waiting.length >= this.waitingLimit;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await new Promise<void>((go) => this.waiting.push(go));
    else this.running += 1;
    try {
      return await task();
    } finally {
      // The place goes straight to the next in line, so nobody can slip in between.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
