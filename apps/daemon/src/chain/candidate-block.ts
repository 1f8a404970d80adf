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
