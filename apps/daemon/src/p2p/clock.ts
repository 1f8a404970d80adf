import { randomBytes } from 'node:crypto';
import type { P2pClock, P2pRandom } from './ports';

/** The system clock. Timers do not keep the process alive. */
export const systemClock: P2pClock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return {
      cancel: () => clearTimeout(timer),
    };
  },
  every(milliseconds, callback) {
    const timer = setInterval(callback, milliseconds).unref();
    return {
      cancel: () => clearInterval(timer),
    };
  },
};

/** The random source of the operating system. */
export const systemRandom: P2pRandom = { bytes: (count) => randomBytes(count) };

/** A uniformly distributed index below `length` (1 to 2^32). */
export function randomIndex(random: P2pRandom, length: number): number {
  const limit = 2 ** 32 - (2 ** 32 % length);
  for (;;) {
    const value = random.bytes(4).readUInt32LE(0);
    if (value < limit) return value % length;
  }
}

/** Only newer versions of Node.js have this method. */
interface WithThreads {
  /** Microseconds. */
  threadCpuUsage?(): { readonly user: number; readonly system: number };
}
const threads: NodeJS.Process & WithThreads = process;

let wall = 0;
let used = 0;
let total = 0;

/**
 * Estimate for versions of Node.js without `threadCpuUsage`: between two calls, the smaller of the elapsed time and the processor
 * time of the whole process. So the time that other programs use is not charged to peers.
 */
function boundedTime(): number {
  const { user, system } = process.cpuUsage();
  const now = [performance.now(), (user + system) / 1_000] as const;
  total += Math.max(0, Math.min(now[0] - wall, now[1] - used));
  [wall, used] = now;
  return total;
}

/** Processor time of this thread in milliseconds, with an arbitrary origin. Never an underestimate. */
export function threadTime(): number {
  const own = threads.threadCpuUsage?.();
  return own === undefined ? boundedTime() : (own.user + own.system) / 1_000;
}
