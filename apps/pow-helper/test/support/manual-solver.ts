import type { Solver } from '../../src/job';

interface Call {
  readonly prefix: Buffer;
  /** Resolves when the search is aborted. */
  readonly aborted: Promise<void>;
  finish(): void;
}

/** A solver whose searches end when the test calls `finish`. */
export class ManualSolver {
  readonly calls: Call[] = [];
  private readonly startedListeners: (() => void)[] = [];

  readonly solve: Solver = (spec, { signal, onProgress }) =>
    new Promise((resolve, reject) => {
      const stop = (): void => reject(new DOMException('cancelled', 'AbortError'));
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      onProgress(256n);
      this.calls.push({
        prefix: spec.prefix,
        aborted: new Promise((done) => signal.addEventListener('abort', () => done(), { once: true })),
        finish: () => resolve({ nonce: Buffer.from('0102030405060708', 'hex'), hashes: 1000n }),
      });
      for (const wake of this.startedListeners.splice(0)) wake();
    });

  /** Resolves when `count` searches in total have been started. */
  async started(count: number): Promise<void> {
    while (this.calls.length < count) await new Promise<void>((resolve) => this.startedListeners.push(resolve));
  }
}
