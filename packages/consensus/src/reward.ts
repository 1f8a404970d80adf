import { EMISSION_SPEED_FACTOR, MONEY_SUPPLY, type Rules } from '@wrkz/core-types';
import { fromWide, toWide } from './wide';

/** What the reward takes from the rule table, asked with the block's own index. */
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
  /** What the coinbase outputs must sum to. */
  readonly total: bigint;
  /** What the coins in existence grow by; below 0 when the penalty eats more fees than the block brings. */
  readonly emission: bigint;
}

/** The reward of the block to come before penalty and fees. */
export function baseReward(rules: Pick<Rules, 'baseReward'>, generatedCoins: bigint): bigint {
  return rules.baseReward ?? (MONEY_SUPPLY - generatedCoins) >> EMISSION_SPEED_FACTOR;
}

/**
 * What a block may pay its miner (docs/protocol/difficulty-and-reward.md#block-reward).
 *
 * @returns undefined when the block is larger than twice the median
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
 * The part of an amount that a block of this size keeps: all of it up to the median, then
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
