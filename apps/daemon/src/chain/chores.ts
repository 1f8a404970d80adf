interface Chore {
  readonly run: () => Promise<void>;
  readonly reject: (error: Error) => void;
}

/**
 * Work of the upkeep on the database that is done between two commits: one piece at a time, each short, so that blocks never
 * wait long for one. A hold is a piece that lasts until it is released, because another process writes meanwhile.
 */
export class Chores {
  private readonly waiting: Chore[] = [];
  private endHold: (() => void) | undefined;

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

  /** Resolves when nothing is done until `release`. @param after is done at the end of the hold */
  hold(after: () => void): Promise<void> {
    return new Promise((held, reject) => {
      const hold = async (): Promise<void> => {
        const released = new Promise<void>((resolve) => (this.endHold = resolve));
        held();
        await released;
        this.endHold = undefined;
        after();
      };
      this.add(hold).catch(reject);
    });
  }

  release(): void {
    this.endHold?.();
  }

  rejectAll(reason: Error): void {
    for (const { reject } of this.waiting.splice(0)) reject(reason);
    this.release();
  }
}
