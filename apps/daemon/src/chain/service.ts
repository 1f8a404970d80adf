import type { CompactStep } from '@wrkz/chain-db';
import type { BlockFacts } from '@wrkz/consensus';
import type { RawBlock } from '@wrkz/core-types';
import type { AddBlockResult } from './results';

/** The origin of a block: affects logs and notifications, never the verification. */
export type BlockSource = 'sync' | 'relay' | 'submit' | 'import';

/** The tip of the main chain and values that follow from it. One immutable object for each commit. */
export interface TipFacts extends BlockFacts {
  /** Difficulty of the block after this one. */
  readonly nextDifficulty: bigint;
  /** max(median of the last 100 sizes, the full reward zone of the next block's version), bytes. */
  readonly medianSize: number;
  readonly alternativeCount: number;
}

export interface AddedBlock {
  readonly height: number;
  readonly hash: Buffer;
  readonly timestamp: number;
  readonly coinbaseHash: Buffer;
  /** Without the coinbase, in block order. */
  readonly transactionHashes: readonly Buffer[];
  readonly keyImages: readonly Buffer[];
}

export interface RemovedBlock {
  readonly height: number;
  readonly hash: Buffer;
  /** Serialized, without the coinbase: what may return to the pool. */
  readonly transactions: readonly Buffer[];
}

/** The main chain changed: blocks were appended, or the blocks above `forkHeight` were replaced (or taken back). */
export interface ChainCommit {
  readonly kind: 'append' | 'switch';
  readonly source: BlockSource | 'rewind';
  /** Index of the highest block that stayed. */
  readonly forkHeight: number;
  readonly forkHash: Buffer;
  /** Ascending by height. */
  readonly added: readonly AddedBlock[];
  /** Ascending by height; empty for 'append'. */
  readonly removed: readonly RemovedBlock[];
  readonly tip: TipFacts;
}

/** A block was stored on a side branch; the main chain is unchanged. */
export interface AlternativeCommit {
  readonly kind: 'alternative';
  readonly height: number;
  readonly hash: Buffer;
  readonly tip: TipFacts;
}

export type CommitEvent = ChainCommit | AlternativeCommit;

export interface RepairBlock {
  readonly height: number;
  readonly raw: RawBlock;
}

/** Maintenance of the database by the engine, between two commits. Each call rejects like `addBlocks`. */
export interface ChainUpkeep {
  /** Returns some free pages to the file system. */
  compactStep(): Promise<CompactStep>;
  /** Checkpoints and truncates the write-ahead log. @returns whether it is empty now; false if a reader still uses it */
  cutLog(): Promise<boolean>;
  /**
   * Repairs a damaged page with the blocks that have rows on it.
   * @returns false if the blocks do not match the page, or a reader needs the write-ahead log: a later call may succeed
   */
  repairPage(page: number, blocks: readonly RepairBlock[]): Promise<boolean>;
}

export type CommitListener = (event: CommitEvent) => void;

/**
 * The only way to change the chain: implemented by the engine and by its client on another thread. Calls are queued and run in
 * order. An event is emitted only for committed changes, and before the promise of its call settles.
 */
export interface ChainService {
  /**
   * Adds blocks in the given order and stops at the first refused block: earlier blocks stay, later blocks are not checked.
   * @returns one result for each checked block; the last may be a refusal
   *
   * @param more more blocks follow at once: these may be committed together with them, within seconds
   * @throws ChainStopped when the service stops first; ChainFailed when the disk cannot be written any more.
   */
  addBlocks(blocks: readonly RawBlock[], source: BlockSource, more?: boolean): Promise<AddBlockResult[]>;
  /** The last committed tip. */
  tip(): TipFacts;
  /** Makes block `height` the tip and removes the blocks above it. @throws RangeError above the tip, BelowFloor. */
  rewindTo(height: number): Promise<void>;
  on(event: 'commit', listener: CommitListener): void;
  off(event: 'commit', listener: CommitListener): void;
  /** Finishes the current step, commits verified blocks, drops queued blocks, closes the database. */
  stop(): Promise<void>;
}

/** The service was stopped before the call was done; nothing of it was committed. */
export class ChainStopped extends Error {
  override readonly name = 'ChainStopped';
  constructor() {
    super('the chain engine has stopped');
  }
}

/** The disk has too little free space: blocks that were mined here are refused. */
export class ChainPaused extends Error {
  override readonly name = 'ChainPaused';
}

/** The database could not be written (full disk, I/O error): the engine writes nothing more, and the file is sound. */
export class ChainFailed extends Error {
  override readonly name: string = 'ChainFailed';
}

/** The engine read a damaged page: it writes nothing more. What can be read is still served. */
export class ChainDamaged extends ChainFailed {
  override readonly name = 'ChainDamaged';
}
