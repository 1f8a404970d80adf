import { DecodeError, type ParsedBlock, type ParsedTransaction, parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';

/** A block as it came, read; nothing is judged yet. */
export interface ReceivedBlock {
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
  /** Serialized bytes of block and transactions. */
  readonly bytes: number;
}

/** Reads a block and its transactions; undefined when any of it does not parse (A6). */
export function readReceived(raw: RawBlock): ReceivedBlock | undefined {
  try {
    const block = parseBlock(raw.block);
    const transactions = raw.transactions.map((bytes) => parseTransaction(bytes));
    const bytes = raw.transactions.reduce((sum, one) => sum + one.length, raw.block.length);
    return { block, transactions, bytes };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/**
 * The delivered transactions in the order of the block's list, which decides their global indexes. Later ages refuse a
 * delivery in another order (B13, consensus); before them only the count was compared, so here a delivery that is a
 * mere rearrangement is put in order.
 * @returns undefined when the delivery is not what the block lists
 */
export function inListedOrder({ block, transactions }: ReceivedBlock): readonly ParsedTransaction[] | undefined {
  const listed = block.block.transactionHashes;
  if (listed.length !== transactions.length) return undefined;
  if (transactions.every((transaction, i) => listed[i]?.equals(transaction.hash))) return transactions;
  const byHash = new Map(transactions.map((transaction) => [transaction.hash.toString('hex'), transaction]));
  const ordered = listed.flatMap((hash) => byHash.get(hash.toString('hex')) ?? []);
  return ordered.length === listed.length && byHash.size === listed.length ? ordered : undefined;
}
