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

/** Max cumulative size of a block at this index, independent of the median: it grows by 100 KiB a year. */
export function hardSizeLimit(height: number): number {
  return BLOCK_SIZE_INITIAL + Math.floor((height * BLOCK_SIZE_GROWTH_NUMERATOR) / BLOCK_SIZE_GROWTH_DENOMINATOR);
}

/** The median of these block sizes; at most the last 100 count. */
export function medianSize(blocks: readonly BlockFacts[]): number {
  return median(blocks.slice(-REWARD_BLOCKS_WINDOW).map((block) => block.size));
}

/** The largest transaction: it must fit, with a coinbase, in a block of twice the median. */
export function transactionSizeLimit(effectiveMedian: number): number {
  return effectiveMedian * 2 - COINBASE_RESERVED_SIZE;
}

/** Max bytes of transactions in a template: below the penalty and the hard limit. */
export function templateSizeLimit(effectiveMedian: number, height: number): number {
  return Math.min(Math.floor((effectiveMedian * 125) / 100), hardSizeLimit(height)) - COINBASE_RESERVED_SIZE;
}

/** Max size of a transaction that a wallet builds at this height, independent of recent blocks. */
export function walletTransactionSizeLimit(height: number): number {
  return Math.min(hardSizeLimit(height), WALLET_SIZE_CAP) - COINBASE_RESERVED_SIZE;
}
