import { EventLoopYielder } from '@wrkz/service-kit/base';

/* A wallet may have 100,000 outputs: loops over them yield to the event loop once per time slice. */

/** The values as an array, in their order. */
export async function collectYielding<T>(values: Iterable<T>): Promise<T[]> {
  const yielder = new EventLoopYielder();
  const collected: T[] = [];
  for (const value of values) {
    collected.push(value);
    if (yielder.isDue) await yielder.yieldIfDue();
  }
  return collected;
}

/** `map` for synchronous steps of some microseconds. */
export async function mapYielding<T, R>(items: readonly T[], step: (item: T, index: number) => R): Promise<R[]> {
  const yielder = new EventLoopYielder();
  const results: R[] = [];
  for (const [i, item] of items.entries()) {
    results.push(step(item, i));
    if (yielder.isDue) await yielder.yieldIfDue();
  }
  return results;
}
