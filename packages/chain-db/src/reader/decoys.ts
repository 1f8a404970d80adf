import { randomInt } from 'node:crypto';

/** How many candidates are looked at for each output wanted before giving up on locked ones. */
const TRIES_PER_OUTPUT = 200;
const LEAST_TRIES = 5_000;

/**
 * Walks `0 .. count - 1` in a uniformly random order without building the list (a Fisher-Yates shuffle that remembers
 * only the places it has moved), with the operating system's randomness.
 */
export function* shuffledIndexes(count: number): Generator<number> {
  const moved = new Map<number, number>();
  for (let left = count; left > 0; left--) {
    const place = randomInt(left);
    const picked = moved.get(place) ?? place;
    moved.set(place, moved.get(left - 1) ?? left - 1);
    moved.delete(left - 1);
    yield picked;
  }
}

/**
 * Up to `wanted` distinct candidates that `take` accepts, each equally likely (docs/protocol/storage.md#decoys). Where
 * nearly all are refused it stops after some thousand looks rather than walk a history of millions, and gives fewer.
 */
export function sample<T>(count: number, wanted: number, take: (index: number) => T | undefined): T[] {
  const found: T[] = [];
  let tries = Math.max(LEAST_TRIES, wanted * TRIES_PER_OUTPUT);
  if (wanted <= 0) return found;
  for (const index of shuffledIndexes(count)) {
    const candidate = take(index);
    if (candidate !== undefined) found.push(candidate);
    if (found.length === wanted || --tries === 0) break;
  }
  return found;
}
