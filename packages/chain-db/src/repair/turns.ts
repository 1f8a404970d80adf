import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work before the event loop gets a turn. */
const TURN = 20;

/** To be awaited between small pieces of work: gives others a turn now and then, and ends it by the signal. */
export function turns(signal: AbortSignal | undefined): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < TURN) return;
    await setImmediate();
    signal?.throwIfAborted();
    last = performance.now();
  };
}
