import type { BlockFacts, ChainView, OutputFacts } from '@wrkz/consensus';
import type { Confirmation } from './confirmation';

/** What a view asks of the whole chain. */
export interface ChainQueries {
  facts(height: number): BlockFacts | undefined;
  factsRange(start: number, end: number): BlockFacts[];
  keyImageHeight(keyImage: Buffer): number | undefined;
  transactionHeight(hash: Buffer): number | undefined;
  output(amount: bigint, index: number): OutputFacts | undefined;
  outputCount(amount: bigint, atHeight: number): number;
}

/**
 * The main chain as it stands at one of its blocks: everything above is invisible, so it stays right while blocks are
 * appended. A rewind below `height` ends its life.
 *
 * What the rules hold against a block or a transaction is confirmed first: an answer that only a damaged row or index can
 * give is thrown as CorruptDatabase and never becomes somebody's fault.
 */
export class DatabaseView implements ChainView {
  constructor(
    private readonly chain: ChainQueries,
    readonly height: number,
    private readonly confirmation: Confirmation,
  ) {}

  facts(height: number): BlockFacts {
    const facts = height <= this.height ? this.chain.facts(height) : undefined;
    if (facts === undefined) throw new RangeError(`no block ${height} in a chain view that ends at ${this.height}`);
    return facts;
  }

  window(end: number, count: number): readonly BlockFacts[] {
    if (end > this.height) throw new RangeError(`no block ${end} in a chain view that ends at ${this.height}`);
    return this.chain.factsRange(Math.max(0, end - count + 1), end + 1);
  }

  keyImageHeight(keyImage: Buffer): number | undefined {
    const height = this.unlessAbove(this.chain.keyImageHeight(keyImage));
    if (height !== undefined) this.confirmation.requireSpent(height, keyImage);
    return height;
  }

  output(amount: bigint, index: number): OutputFacts | undefined {
    const output = this.chain.output(amount, index);
    return output !== undefined && output.height <= this.height ? output : undefined;
  }

  outputCount(amount: bigint): number {
    return this.chain.outputCount(amount, this.height);
  }

  hasTransaction(hash: Buffer): boolean {
    return this.unlessAbove(this.chain.transactionHeight(hash)) !== undefined;
  }

  private unlessAbove(height: number | undefined): number | undefined {
    return height !== undefined && height <= this.height ? height : undefined;
  }
}
