import { DIFFICULTY_TARGET as TARGET, LWMA_WINDOW as WINDOW } from '@wrkz/core-types';

/**
 * The parameters of the two rules in force (docs/protocol/difficulty-and-reward.md#lwma; no network reached the rule V3).
 */
interface LwmaVariant {
  /** Difficulty while the chain is too short for a window. */
  readonly start: bigint;
  readonly min: number;
  /** V4 was meant to have an upper bound of 360 s. It has none, and the existing chain depends on that. */
  readonly max: number;
  /** Difficulty after three fast blocks, in percent of the last one. */
  readonly fast: bigint;
}

const VARIANTS = {
  lwma4: { start: 1000n, min: -6 * TARGET, max: Infinity, fast: 110n },
  lwma5: { start: 10000n, min: -4 * TARGET, max: 6 * TARGET, fast: 108n },
} as const satisfies Record<string, LwmaVariant>;

export type LwmaRule = keyof typeof VARIANTS;

/** Blocks of a window: 61 blocks have 60 solve times between them. */
export const LWMA_BLOCKS = WINDOW + 1;

/** The difficulty falls at most to this share of that of the last block. */
const MIN_PERCENT = 67n;

const signed = (value: bigint): bigint => BigInt.asIntN(64, value);

/**
 * The difficulty after a window of blocks, oldest first, from the mean of the solve times, weighted towards the newest.
 *
 * The reference computes in signed 64-bit integers that wrap, with division towards zero, and so does this function. Where the
 * reference would divide by zero (the weighted solve times sum to 0), this returns 0, which no block can meet.
 *
 * @param timestamps 61 of them, seconds; fewer give the variant's starting value
 * @param cumulative the cumulative difficulties of the same blocks
 */
export function lwmaDifficulty(rule: LwmaRule, timestamps: readonly number[], cumulative: readonly bigint[]): bigint {
  const { start, min, max, fast } = VARIANTS[rule];
  if (timestamps.length < LWMA_BLOCKS) return start;

  let weighted = 0;
  let lastThree = 0;
  for (let i = 1; i <= WINDOW; i++) {
    const solveTime = Math.max(min, Math.min(at(timestamps, i) - at(timestamps, i - 1), max));
    weighted += solveTime * i;
    if (i > WINDOW - 3) lastThree += solveTime;
  }
  if (weighted === 0) return 0n;

  const last = at(cumulative, WINDOW);
  const work = signed((last - at(cumulative, 0)) * BigInt(TARGET * (WINDOW + 1) * 99));
  const previous = signed(last - at(cumulative, WINDOW - 1));
  const percent = (share: bigint): bigint => signed(previous * share) / 100n;

  let next = work / signed(200n * BigInt(weighted));
  next = larger(percent(MIN_PERCENT), smaller(next, percent(150n)));
  if (lastThree < (8 * TARGET) / 10) next = larger(next, percent(fast));
  return BigInt.asUintN(64, next);
}

/** The lowest difficulty other than 0 after a window whose last block has this difficulty; 0 if the product wraps to a negative one. */
export function minLwmaDifficulty(last: bigint): bigint {
  return larger(0n, signed(last * MIN_PERCENT) / 100n);
}

function at<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new RangeError(`a difficulty window of ${values.length} blocks has no block ${index}`);
  return value;
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
