import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 gives the memory of young objects back if little was allocated in the 5 s before, by what it measured at collections. */
const DELAYS_MS = [10_000, 20_000, 22_000];

/**
 * Collects the garbage of the start of this thread. Loading the modules leaves as much garbage as live data, and V8 collects
 * it only when the heap grows, which a program without load does not do.
 */
export function collectStartGarbage(): void {
  for (const delay of DELAYS_MS) setTimeout(collectGarbage, delay).unref();
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
