import type { BlockStamp, ChainReader, TransactionScan } from '@wrkz/chain-db';
import type { RawBlock } from '@wrkz/core-types';
import type { QueryContext } from './query';

/** Start and length of a sync request. Heights are block indexes. */
export interface SyncRange {
  /** Hashes of blocks that the client has, newest first, 32 bytes each. */
  readonly checkpoints: Buffer;
  readonly startHeight: number;
  /** Unix seconds; 0 = none. Used only if `startHeight` is 0. */
  readonly startTimestamp: number;
  readonly blockCount: number;
}

export const HASH_BYTES = 32;
export const SECONDS_PER_DAY = 86_400;

/** Max blocks that one request makes the node read. */
export const MAX_BLOCKS_WALKED = 10_000;

/** A sync request for this many blocks takes about 10 ms. */
const MAX_LIGHT_BLOCKS = 100;
/** Wallets send a few hundred checkpoints. The lookup of an unknown one takes about 10 microseconds. */
const MAX_LIGHT_CHECKPOINTS = 2_000;

export function isHeavySync({ blockCount, checkpoints }: Pick<SyncRange, 'blockCount' | 'checkpoints'>): boolean {
  return blockCount > MAX_LIGHT_BLOCKS || checkpoints.length / HASH_BYTES > MAX_LIGHT_CHECKPOINTS;
}

/** Hashes in one buffer: a message to a reader thread copies it a hundred times faster than thousands of buffers. */
export function joinHashes(hexes: readonly string[]): Buffer {
  return Buffer.from(hexes.join(''), 'hex');
}

export function splitHashes(hashes: Buffer): Buffer[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, i) =>
    hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}

/** Hashes between two checks whether the client is gone. */
const HASHES_PER_CHECK = 256;

/** The height of the first of these hashes that is on the main chain. */
export function firstKnownHash(
  { reader, throwIfCancelled }: Pick<QueryContext, 'reader' | 'throwIfCancelled'>,
  hashes: Buffer,
): number | undefined {
  for (let at = 0; at < hashes.length; at += HASH_BYTES) {
    if (at % (HASHES_PER_CHECK * HASH_BYTES) === 0) throwIfCancelled();
    const height = reader.heightOf(hashes.subarray(at, at + HASH_BYTES));
    if (height !== undefined) return height;
  }
  return undefined;
}

/**
 * The index of the first block of the response: the block after the newest known checkpoint, else `startHeight`, else the first
 * block of the UTC day of `startTimestamp`. A start above the tip is the tip's index + 1.
 * @param floor first block that is stored; a start below it becomes the floor, and `startTimestamp` is not used
 */
export function resolveStart(
  context: Pick<QueryContext, 'reader' | 'throwIfCancelled'>,
  range: SyncRange,
  floor: number,
): number {
  const { reader } = context;
  const beyond = reader.tip().height + 1;
  const known = firstKnownHash(context, range.checkpoints);
  if (known !== undefined) return Math.max(Math.min(floor, beyond), afterKnown(known));
  if (range.startHeight < floor) return Math.min(floor, beyond);
  if (range.startHeight > 0) return Math.min(range.startHeight, beyond);
  if (range.startTimestamp > 0) {
    const midnight = range.startTimestamp - (range.startTimestamp % SECONDS_PER_DAY);
    return reader.firstHeightFrom(midnight) ?? beyond;
  }
  return 0;
}

/** The first block for a client that has the block at `height`. Every client has the genesis block: it proves nothing. */
export function afterKnown(height: number): number {
  return height === 0 ? 0 : height + 1;
}

/** Blocks of one read, and so the max number of blocks that are read after the end of a response. */
const BLOCKS_PER_READ = 16;

/** A main-chain block with its bytes. */
export interface HeightBlock {
  readonly height: number;
  readonly raw: RawBlock;
}

/** The main-chain blocks [start, end) with their bytes, in ascending order. @throws BelowFloor */
export function* wholeBlocks(
  { reader, throwIfCancelled }: QueryContext,
  start: number,
  end: number,
): Generator<HeightBlock> {
  let height = start;
  for (let from = start; from < end; from += BLOCKS_PER_READ) {
    throwIfCancelled();
    for (const raw of reader.rawBlocks(from, Math.min(from + BLOCKS_PER_READ, end))) yield { height: height++, raw };
  }
}

const NO_TRANSACTIONS: TransactionScan = { hashes: [], prefixes: [] };

/** A main-chain block of a sync response. */
export class MainChainBlock {
  constructor(
    readonly stamp: BlockStamp,
    /** The id (running number) of its coinbase. */
    readonly first: number,
    private readonly batch: BlockBatch,
  ) {}

  /** Whether it has no transactions except the coinbase. */
  get isEmpty(): boolean {
    return this.stamp.generatedTransactions === this.first + 1;
  }

  /** All its transactions, coinbase first. @throws CorruptDatabase */
  transactions(): TransactionScan {
    return this.batch.transactions(this.first, this.stamp.generatedTransactions);
  }

  /** Its transactions without the coinbase. @throws CorruptDatabase */
  transfers(): TransactionScan {
    const { first, stamp, batch } = this;
    return this.isEmpty ? NO_TRANSACTIONS : batch.scan(first + 1, stamp.generatedTransactions);
  }
}

/** The blocks of one read. Their transactions are read together, when the first of them is used. */
class BlockBatch {
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

/** The main-chain blocks [start, end) in ascending order. Call it within one snapshot. */
export function* syncBlocks(
  { reader, throwIfCancelled }: QueryContext,
  start: number,
  end: number,
): Generator<MainChainBlock> {
  let first = start === 0 ? 0 : (reader.blockStamps(start - 1, start)[0]?.generatedTransactions ?? 0);
  for (let from = start; from < end; from += BLOCKS_PER_READ) {
    const stamps = reader.blockStamps(from, Math.min(from + BLOCKS_PER_READ, end));
    const batch = new BlockBatch(reader, stamps, first);
    for (const stamp of stamps) {
      throwIfCancelled();
      yield new MainChainBlock(stamp, first, batch);
      first = stamp.generatedTransactions;
    }
  }
}
