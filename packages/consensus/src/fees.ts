import type { FeeRule } from '@wrkz/core-types';

/**
 * The min fee of a transaction of `size` bytes that is not a fusion (docs/protocol/transactions.md#fees), by the rules of
 * the previous block's index.
 */
export function minimumFee(size: number, rule: FeeRule): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  return BigInt(Math.ceil(size / rule.chunk)) * rule.amount;
}
