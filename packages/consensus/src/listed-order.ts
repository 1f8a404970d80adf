import type { ParsedBlock, ParsedTransaction } from '@wrkz/core-types';

/**
 * Delivered transactions in the order of the block's list, which decides their global indexes. Later heights reject another order
 * (docs/protocol/blocks.md#transaction-list); at earlier heights only the sets were compared, so a delivery in another order is
 * sorted. Any other delivery is returned unchanged, and rejected by the check of the list.
 */
export function inListedOrder(
  block: ParsedBlock,
  transactions: readonly ParsedTransaction[],
): readonly ParsedTransaction[] {
  const listed = block.block.transactionHashes;
  if (listed.length !== transactions.length) return transactions;
  if (transactions.every((transaction, i) => listed[i]?.equals(transaction.hash))) return transactions;
  const byHash = new Map(transactions.map((transaction) => [transaction.hash.toString('hex'), transaction]));
  const ordered = listed.flatMap((hash) => byHash.get(hash.toString('hex')) ?? []);
  // A hash that is listed twice would displace a transaction that is not listed.
  return new Set(ordered).size === listed.length ? ordered : transactions;
}
