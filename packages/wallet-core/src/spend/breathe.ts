import { setImmediate as nextTurn } from 'node:timers/promises';

/** Steps of some tens of microseconds that the main thread takes in a row. */
const STEPS = 32;

/** Maps one after the other and lets the event loop turn every now and then, so that a long list holds up nothing. */
export async function mapBreathing<T, R>(items: readonly T[], step: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [i, item] of items.entries()) {
    if (i > 0 && i % STEPS === 0) await nextTurn();
    results.push(step(item, i));
  }
  return results;
}
