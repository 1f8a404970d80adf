/** Runs a limited number of tasks concurrently, in the order of `run`. */
export class TaskQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly maxRunning: number) {}

  /** Runs a task when there is room. @returns the result of the task */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.maxRunning) await new Promise<void>((go) => this.waiting.push(go));
    else this.running += 1;
    try {
      return await task();
    } finally {
      // Starts the next task synchronously, before any task that is added later.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
