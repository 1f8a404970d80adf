import { readFileSync } from 'node:fs';

/**
 * Milliseconds of processor time that the main thread has used, so that a hold-up is told apart from the turns of other
 * programs; where the system does not tell, milliseconds of the clock.
 */
export function mainThreadTime(): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${String(process.pid)}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
}
