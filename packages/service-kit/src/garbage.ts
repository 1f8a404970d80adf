import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Milliseconds after the start of the collections. V8 returns the memory of young objects to the system if, by its measurements
 * at collections, little was allocated in the 5 s before: so one collection is not enough.
 */
const DELAYS_MS = [10_000, 20_000, 22_000];

/** Max heap for a collection: a larger one would pause the thread for longer than 50 ms. */
const MAX_HEAP_BYTES = 48 * 1024 * 1024;

/** Max utilization since the last collection. V8 collects in a busier thread anyway, for example in the first scan of a wallet. */
const MAX_UTILIZATION = 0.1;

/**
 * Collects the garbage that the start of this thread has left. Loading the modules leaves as much garbage as live data, and V8 collects
 * it only when the heap grows, which a program without load does not do.
 */
export function collectStartGarbage(): void {
  let last = performance.eventLoopUtilization();
  const collectIfIdle = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization < MAX_UTILIZATION) collectGarbage();
  };
  for (const delay of DELAYS_MS) setTimeout(collectIfIdle, delay).unref();
}

/** Collects the garbage of this thread now, unless its heap is so large that this would pause it. */
export function collectGarbage(): void {
  if (getHeapStatistics().used_heap_size > MAX_HEAP_BYTES) return;
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
