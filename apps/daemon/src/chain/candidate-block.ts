import { parseBlockOrRefuse, parseTransactionsOrRefuse, RuleFailure } from '@wrkz/consensus';
import type { ParsedBlock, ParsedTransaction, RawBlock } from '@wrkz/core-types';

/** A block as it came; nothing is judged yet. */
export class ReceivedBlock {
  private read: readonly ParsedTransaction[] | RuleFailure | undefined;

  constructor(
    readonly block: ParsedBlock,
    private readonly delivered: readonly Buffer[],
  ) {}

  /** Bytes that the size rules count: the coinbase and the transactions. */
  get size(): number {
    return this.delivered.reduce((sum, one) => sum + one.length, this.block.coinbase.size);
  }

  /** Serialized bytes of block and transactions. */
  get bytes(): number {
    return this.size - this.block.coinbase.size + this.block.bytes.length;
  }

  /**
   * The transactions as delivered. Read only when they are asked for, because a block that is known or has no parent is
   * answered as such before a transaction of it that does not parse. @returns undefined when one does not
   */
  transactions(): readonly ParsedTransaction[] | undefined {
    const read = (this.read ??= parseTransactionsOrRefuse(this.delivered));
    return read instanceof RuleFailure ? undefined : read;
  }
}

/** Reads a block, not its transactions; undefined when it does not parse. */
export function readReceived(raw: RawBlock): ReceivedBlock | undefined {
  const block = parseBlockOrRefuse(raw.block);
  return block instanceof RuleFailure ? undefined : new ReceivedBlock(block, raw.transactions);
}

/**
 * The delivered transactions in the order of the block's list, which decides their global indexes. Later ages refuse a
 * delivery in another order (TRANSACTION_INCONSISTENCY); before them only the count was compared, so here a delivery that is a
 * mere rearrangement is put in order. One that is not what the block lists stays as it is: consensus refuses it.
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
  return ordered.length === listed.length && byHash.size === listed.length ? ordered : transactions;
}
