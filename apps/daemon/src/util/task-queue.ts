/** Runs a limited number of tasks at a time, first come first served. */
export class TaskQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    /** How many may wait; whoever adds a task asks `full` first. */
    private readonly waitingLimit = Infinity,
  ) {}

  /** Whether another task would be turned away. */
  get full(): boolean {
    return this.running >= this.atOnce && this.waiting.length >= this.waitingLimit;
  }

  /** The task's own outcome, once its turn has come and it has ended. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await new Promise<void>((go) => this.waiting.push(go));
    else this.running += 1;
    try {
      return await task();
    } finally {
      // The place goes straight to the next task, so that none that comes later can take it.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
