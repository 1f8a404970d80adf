import type { WaitClock } from '@wrkz/service-kit/base';

/** Time as the synchronization sees it; a test replaces it. */
export interface SyncClock extends WaitClock {
  /** Monotonic milliseconds. */
  now(): number;
}

/** The machine's monotonic clock and timers. */
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
