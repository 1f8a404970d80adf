import { readFileSync } from 'node:fs';

/**
 * Processor time of the main thread in milliseconds, so that other programs do not count; wall clock where the system does not
 * report it.
 */
export function mainThreadTime(): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${String(process.pid)}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
}
