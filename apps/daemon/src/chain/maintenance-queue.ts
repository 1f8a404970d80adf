interface Job {
  readonly run: () => Promise<void>;
  readonly reject: (error: Error) => void;
}

/**
 * Maintenance jobs of the database, which run between two commits: one at a time, each short, so that blocks never wait long.
 */
export class MaintenanceQueue {
  private readonly waiting: Job[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Runs the work when all earlier jobs are done. @returns its result */
  add<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.waiting.push({ run, reject });
    });
  }

  /** Runs the next queued job. Never throws; errors reject the caller's promise. */
  async next(): Promise<void> {
    await this.waiting.shift()?.run();
  }

  rejectAll(reason: Error): void {
    for (const { reject } of this.waiting.splice(0)) reject(reason);
  }
}
