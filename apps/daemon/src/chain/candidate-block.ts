import { parseBlockOrRefuse, parseTransactionsOrRefuse, RuleFailure } from '@wrkz/consensus';
import type { ParsedBlock, ParsedTransaction, RawBlock } from '@wrkz/core-types';

/** A block as it was delivered, before any rule has judged it. */
export class CandidateBlock {
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
   * The transactions as delivered. They are parsed when they are first asked for, because a block that is known, or has
   * no parent, gets that answer even when one of its transactions does not parse. @returns undefined when one does not
   */
  transactions(): readonly ParsedTransaction[] | undefined {
    const read = (this.read ??= parseTransactionsOrRefuse(this.delivered));
    return read instanceof RuleFailure ? undefined : read;
  }
}

/** Reads a block, not its transactions; undefined when it does not parse. */
export function readCandidate(raw: RawBlock): CandidateBlock | undefined {
  const block = parseBlockOrRefuse(raw.block);
  return block instanceof RuleFailure ? undefined : new CandidateBlock(block, raw.transactions);
}

/**
 * The delivered transactions in the order of the block's list, which decides their global indexes. Later ages refuse a
 * delivery in another order (TRANSACTION_INCONSISTENCY); before them only the count was compared, so here a delivery
 * that is only in another order is put right. Any other delivery stays as it is: consensus refuses it.
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
