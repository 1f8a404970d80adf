import {
  BLOCK_SIZE_GROWTH_DENOMINATOR,
  BLOCK_SIZE_GROWTH_NUMERATOR,
  BLOCK_SIZE_INITIAL,
  COINBASE_RESERVED_SIZE,
  REWARD_BLOCKS_WINDOW,
} from '@wrkz/core-types';
import { median } from './median';
import type { BlockFacts } from './view';

/** Five quarters of the full reward zone. */
const WALLET_SIZE_CAP = 125_000;

/** The largest cumulative size of a block at this index, whatever the median: it grows by 100 KiB a year. */
export function hardSizeLimit(height: number): number {
  return BLOCK_SIZE_INITIAL + Math.floor((height * BLOCK_SIZE_GROWTH_NUMERATOR) / BLOCK_SIZE_GROWTH_DENOMINATOR);
}

/** The median of these blocks' sizes; at most the last 100 are looked at. */
export function medianSize(blocks: readonly BlockFacts[]): number {
  return median(blocks.slice(-REWARD_BLOCKS_WINDOW).map((block) => block.size));
}

/** The largest transaction: it must fit a block of twice the median beside a coinbase. */
export function transactionSizeLimit(effectiveMedian: number): number {
  return effectiveMedian * 2 - COINBASE_RESERVED_SIZE;
}

/** Bytes of transactions a template may hold: it stays out of the penalty and under the hard limit. */
export function templateSizeLimit(effectiveMedian: number, height: number): number {
  return Math.min(Math.floor((effectiveMedian * 125) / 100), hardSizeLimit(height)) - COINBASE_RESERVED_SIZE;
}

/** The largest transaction that a wallet builds for a network at this height, whatever its blocks look like. */
export function walletTransactionSizeLimit(height: number): number {
  return Math.min(hardSizeLimit(height), WALLET_SIZE_CAP) - COINBASE_RESERVED_SIZE;
}
