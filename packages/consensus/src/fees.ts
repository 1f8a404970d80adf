import type { FeeRule } from '@wrkz/core-types';

/**
 * The min fee of a transaction of `size` bytes that is not a fusion (docs/protocol/transactions.md#fees), by the rules of
 * the previous block's index.
 */
export function minimumFee(size: number, rule: FeeRule): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  return BigInt(Math.ceil(size / rule.chunk)) * rule.amount;
}

/**
 * The fee that a wallet pays for `size` bytes at `perByte` atomic units per byte, which may be a fraction: whole chunks
 * only, rounded down. At heights with a fixed fee, that fee.
 */
export function feeAtRate(size: number, rule: FeeRule, perByte: number): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  return BigInt(Math.floor(Math.ceil(size / rule.chunk) * perByte * rule.chunk));
}
