import { EMISSION_SPEED_FACTOR, MONEY_SUPPLY, type Rules } from '@wrkz/core-types';
import { fromWide, toWide } from './wide';

/** The rules that the reward needs, by the index of the block. */
export type RewardRules = Pick<Rules, 'baseReward' | 'fullRewardZone' | 'feesPenalized'>;

export interface RewardInput {
  readonly rules: RewardRules;
  /** Median of the previous 100 block sizes. */
  readonly medianSize: number;
  /** Cumulative size of the block. */
  readonly size: number;
  /** Coins in existence before it. */
  readonly generatedCoins: bigint;
  readonly fees: bigint;
}

export interface Reward {
  /** Before any penalty and without fees. */
  readonly base: bigint;
  /** Required sum of the coinbase outputs. */
  readonly total: bigint;
  /** Newly generated coins; negative if the penalty on the fees exceeds the base reward. */
  readonly emission: bigint;
}

/** The reward of the next block before penalty and fees. */
export function baseReward(rules: Pick<Rules, 'baseReward'>, generatedCoins: bigint): bigint {
  return rules.baseReward ?? (MONEY_SUPPLY - generatedCoins) >> EMISSION_SPEED_FACTOR;
}

/**
 * The reward that a block may pay its miner (docs/protocol/difficulty-and-reward.md#block-reward).
 *
 * @returns undefined if the block is larger than twice the median
 */
export function blockReward(input: RewardInput): Reward | undefined {
  const { rules, size, fees } = input;
  const median = Math.max(input.medianSize, rules.fullRewardZone);
  if (size > 2 * median) return undefined;

  const base = baseReward(rules, input.generatedCoins);
  const penalizedBase = penalizedAmount(base, median, size);
  const penalizedFees = rules.feesPenalized ? penalizedAmount(fees, median, size) : fees;
  return { base, total: penalizedBase + penalizedFees, emission: penalizedBase - (fees - penalizedFees) };
}

/**
 * The part of an amount that remains for a block of this size: all of it up to the median, then
 * amount x size x (2 x median - size) / median^2, rounded down.
 *
 * @param size at most twice the median
 */
export function penalizedAmount(amount: bigint, medianSize: number, size: number): bigint {
  if (size <= medianSize || amount === 0n) return amount;
  if (size > 2 * medianSize) throw new RangeError('a block over twice the median size has no reward');
  const kept = toWide(amount)
    .mul(toWide(size))
    .mul(toWide(2 * medianSize - size));
  return fromWide(kept.div(toWide(medianSize).sqr()));
}
