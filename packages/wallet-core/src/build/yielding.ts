import { setImmediate as nextTurn } from 'node:timers/promises';

/** Steps of some tens of microseconds that the main thread takes in a row. */
const STEPS = 32;

/** Values of a microsecond each that are gathered in a row. */
const GATHERED = 4_096;

/** What comes out of it, in its order; the event loop turns every now and then, since a wallet may hold 100,000 outputs. */
export async function gatherBreathing<T>(values: Iterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for (const value of values) {
    gathered.push(value);
    if (gathered.length % GATHERED === 0) await nextTurn();
  }
  return gathered;
}

/** Maps one after the other and lets the event loop turn every now and then, so that a long list holds up nothing. */
export async function mapBreathing<T, R>(items: readonly T[], step: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [i, item] of items.entries()) {
    if (i > 0 && i % STEPS === 0) await nextTurn();
    results.push(step(item, i));
  }
  return results;
}
