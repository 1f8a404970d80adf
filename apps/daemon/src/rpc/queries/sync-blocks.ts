import type { BlockStamp, ChainReader, TransactionScan } from '@wrkz/chain-db';
import type { QueryTools } from './query';

/** Blocks that are read at once, and so the most that are read beyond the end of an answer. */
export const STRIDE = 16;

const NO_TRANSACTIONS: TransactionScan = { hashes: [], prefixes: [] };

/** A main-chain block on its way into a sync answer. */
export class WalkedBlock {
  constructor(
    readonly stamp: BlockStamp,
    /** The id of its coinbase. */
    readonly first: number,
    private readonly run: BlockRun,
  ) {}

  /** Without transactions besides the coinbase. */
  get isEmpty(): boolean {
    return this.stamp.generatedTransactions === this.first + 1;
  }

  /** All its transactions, coinbase first. @throws CorruptDatabase */
  transactions(): TransactionScan {
    return this.run.transactions(this.first, this.stamp.generatedTransactions);
  }

  /** Without the coinbase. @throws CorruptDatabase */
  transfers(): TransactionScan {
    const { first, stamp, run } = this;
    return this.isEmpty ? NO_TRANSACTIONS : run.scan(first + 1, stamp.generatedTransactions);
  }
}

/** Blocks that are read at once; their transactions, too, when the first of them is asked for. */
class BlockRun {
  private scanned: TransactionScan | undefined;

  constructor(
    private readonly reader: ChainReader,
    private readonly stamps: readonly BlockStamp[],
    private readonly first: number,
  ) {}

  transactions(first: number, end: number): TransactionScan {
    const { hashes, prefixes } = (this.scanned ??= this.scan(this.first, this.end));
    const [from, to] = [first - this.first, end - this.first];
    return { hashes: hashes.slice(from, to), prefixes: prefixes.slice(from, to) };
  }

  scan(first: number, end: number): TransactionScan {
    return this.reader.scanTransactions(first, end);
  }

  private get end(): number {
    return this.stamps.at(-1)?.generatedTransactions ?? this.first;
  }
}

/** The main-chain blocks [start, end), lowest first. To be used within one snapshot. */
export function* syncBlocks({ reader, throwIfGone }: QueryTools, start: number, end: number): Generator<WalkedBlock> {
  let first = start === 0 ? 0 : (reader.blockStamps(start - 1, start)[0]?.generatedTransactions ?? 0);
  for (let from = start; from < end; from += STRIDE) {
    const stamps = reader.blockStamps(from, Math.min(from + STRIDE, end));
    const run = new BlockRun(reader, stamps, first);
    for (const stamp of stamps) {
      throwIfGone();
      yield new WalkedBlock(stamp, first, run);
      first = stamp.generatedTransactions;
    }
  }
}
