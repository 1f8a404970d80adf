/** Time as the synchronization sees it. */
export interface SyncClock {
  /** Milliseconds of a clock that never steps. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal fires; it never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The machine's own time. */
export const MACHINE_CLOCK: SyncClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end, { once: true });
    }),
};

/** Wakes who waits for something to do. A ring that nobody hears is kept for the next one who listens. */
export class Bell {
  #hasRung = false;
  #listener: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#listener?.();
  }

  /** Until it rings or the signal fires; at once when it has rung since the last time. */
  async heard(signal: AbortSignal): Promise<void> {
    if (!this.#hasRung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          this.#listener = undefined;
          signal.removeEventListener('abort', end);
          resolve();
        };
        this.#listener = end;
        signal.addEventListener('abort', end, { once: true });
      });
    }
    this.#hasRung = false;
  }

  /** Until it rings, so many milliseconds have passed, or the signal fires. */
  async heardWithin(milliseconds: number, clock: SyncClock, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    await Promise.race([this.heard(either), clock.wait(milliseconds, either)]);
    over.abort();
  }
}
