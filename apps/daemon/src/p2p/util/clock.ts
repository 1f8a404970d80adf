import { randomBytes } from 'node:crypto';
import type { P2pClock, P2pRandom } from '../ports';

/** The machine's clock. Timers do not keep the process alive. */
export const systemClock: P2pClock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return {
      cancel: () => {
        clearTimeout(timer);
      },
    };
  },
  every(milliseconds, callback) {
    const timer = setInterval(callback, milliseconds).unref();
    return {
      cancel: () => {
        clearInterval(timer);
      },
    };
  },
};

/** The operating system's randomness. */
export const systemRandom: P2pRandom = { bytes: (count) => randomBytes(count) };

/** A uniform index below `length` (1 to 2^32). */
export function randomIndex(random: P2pRandom, length: number): number {
  const limit = 2 ** 32 - (2 ** 32 % length);
  for (;;) {
    const value = random.bytes(4).readUInt32LE(0);
    if (value < limit) return value % length;
  }
}
