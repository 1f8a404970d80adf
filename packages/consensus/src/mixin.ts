import type { MixinRange, TransactionInput } from '@wrkz/core-types';

/**
 * Whether the rings of a transaction have an allowed size (docs/protocol/transactions.md#ring-sizes): the maximum is
 * checked against the largest, the minimum against the largest or the smallest, depending on the height.
 */
export function mixinAllowed(inputs: readonly TransactionInput[], range: MixinRange): boolean {
  let largest = 1;
  let smallest = Infinity;
  for (const input of inputs) {
    const ring = input.type === 'key' ? input.keyOffsets.length : 1;
    largest = Math.max(largest, ring);
    smallest = Math.min(smallest, Math.max(1, ring));
  }
  if (smallest === Infinity) smallest = 1;
  const compared = range.minAppliesTo === 'smallest' ? smallest : largest;
  return largest - 1 <= range.max && compared - 1 >= range.min;
}
