import { parseBlockOrRefuse, parseTransactionsOrRefuse, RuleFailure } from '@wrkz/consensus';
import type { ParsedBlock, ParsedTransaction, RawBlock } from '@wrkz/core-types';

/** A received block, before any rule was checked. */
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
   * The received transactions, parsed on first use: a known block and a block without a parent get their result even when one
   * of their transactions is invalid. @returns undefined when one is invalid
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
