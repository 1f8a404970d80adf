/** What newer versions of Node.js know. */
interface WithThreads {
  /** Microseconds. */
  threadCpuUsage?(): { readonly user: number; readonly system: number };
}
const threads: NodeJS.Process & WithThreads = process;

/**
 * Milliseconds of this thread's processor time from any point on. Where Node.js does not tell them it is the time that has
 * passed, which is longer when other programs keep the processor busy.
 */
export function threadTime(): number {
  const used = threads.threadCpuUsage?.();
  return used === undefined ? performance.now() : (used.user + used.system) / 1_000;
}
