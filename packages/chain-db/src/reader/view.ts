import type { BlockFacts, ChainView, OutputFacts } from '@wrkz/consensus';

/** Queries of the whole chain. */
export interface ChainQueries {
  facts(height: number): BlockFacts | undefined;
  factsRange(start: number, end: number): BlockFacts[];
  keyImageHeight(keyImage: Buffer): number | undefined;
  transactionHeight(hash: Buffer): number | undefined;
  output(amount: bigint, index: number): OutputFacts | undefined;
  outputCount(amount: bigint, atHeight: number): number;
}

/**
 * The main chain up to a block. It stays valid while blocks are appended, until a rewind below `height`.
 */
export class DatabaseView implements ChainView {
  constructor(
    private readonly chain: ChainQueries,
    readonly height: number,
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
    return this.unlessAbove(this.chain.keyImageHeight(keyImage));
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
