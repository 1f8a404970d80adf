import type { FeeRule } from '@wrkz/core-types';

/**
 * The least fee of a transaction of `size` bytes that is not a fusion (protocol 6, "Fees"). The rule is asked with the
 * index of the previous block.
 */
export function minimumFee(size: number, rule: FeeRule): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  return BigInt(Math.ceil(size / rule.chunk)) * rule.amount;
}
