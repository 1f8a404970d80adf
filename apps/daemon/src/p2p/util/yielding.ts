import { setImmediate } from 'node:timers/promises';

/**
 * For long work on the event loop: `await pause()` between its parts; it gives way when the present slice has lasted
 * `milliseconds`, so that nothing else waits much longer.
 */
export function makePause(milliseconds = 10): () => Promise<void> {
  let slice = performance.now();
  return async () => {
    if (performance.now() - slice < milliseconds) return;
    await setImmediate();
    slice = performance.now();
  };
}
