interface Chore {
  readonly run: () => Promise<void>;
  readonly reject: (error: Error) => void;
}

/**
 * Work of the upkeep on the database that is done between two commits: one piece at a time, each short, so that blocks never
 * wait long for one.
 */
export class Chores {
  private readonly waiting: Chore[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** @returns what the work returns, when its turn has come */
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

  /** Does the first that waits. Never throws: whoever brought it hears of it. */
  async next(): Promise<void> {
    await this.waiting.shift()?.run();
  }

  rejectAll(reason: Error): void {
    for (const { reject } of this.waiting.splice(0)) reject(reason);
  }
}
