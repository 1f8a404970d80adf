import type { FeeRule } from '@wrkz/core-types';

/**
 * The least fee of a transaction of `size` bytes that is not a fusion (docs/protocol/transactions.md#fees). The rule is
 * asked with the index of the previous block.
 */
export function minimumFee(size: number, rule: FeeRule): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  return BigInt(Math.ceil(size / rule.chunk)) * rule.amount;
}

/**
 * The fee that a wallet pays for `size` bytes at `perByte` atomic units a byte, which may be a fraction: whole chunks
 * only, rounded down. An age with a fixed fee asks for that and nothing else.
 */
export function feeAtRate(size: number, rule: FeeRule, perByte: number): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  return BigInt(Math.floor(Math.ceil(size / rule.chunk) * perByte * rule.chunk));
}
