import type { CompactStep } from '@wrkz/chain-db';
import type { RawBlock } from '@wrkz/core-types';
import type { AddBlockResult } from './results';

/** Where a block came from: decides what is logged and who is told, never how it is judged. */
export type BlockSource = 'sync' | 'relay' | 'submit' | 'import';

/** The block at the tip of the main chain and what follows from it. One object a commit, never changed afterwards. */
export interface TipFacts {
  readonly height: number;
  readonly hash: Buffer;
  readonly timestamp: number;
  readonly cumulativeDifficulty: bigint;
  /** Difficulty of the block after this one. */
  readonly nextDifficulty: bigint;
  /** max(median of the last 100 sizes, the full reward zone of the next block's version), bytes. */
  readonly medianSize: number;
  readonly generatedCoins: bigint;
  readonly generatedTransactions: number;
  readonly majorVersion: number;
  readonly minorVersion: number;
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

/** A block was kept on a side branch; the main chain is as it was. */
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

/** What the upkeep of the database asks of the engine, between two commits. Each rejects as `addBlocks` does. */
export interface ChainUpkeep {
  /** Gives some empty pages back to the file system. */
  compactStep(): Promise<CompactStep>;
  /** Copies the write-ahead log back and cuts it. @returns whether it is empty now: a reader may need it */
  cutLog(): Promise<boolean>;
  /**
   * Repairs a damaged page with the blocks that have rows on it.
   * @returns false where the blocks do not fit, or a reader needs the write-ahead log: a later call may succeed
   */
  repairPage(page: number, blocks: readonly RepairBlock[]): Promise<boolean>;
}

export type CommitListener = (event: CommitEvent) => void;

/**
 * The one way to change the chain. The engine and its client on another thread both are one, so that whoever adds
 * blocks need not know where the work is done. Everything is queued and done in order; an event is sent only for what
 * is on disk, and before the promise of the call that caused it is settled.
 */
export interface ChainService {
  /**
   * Adds blocks in the given order and stops at the first that is refused: what stood before it stays, the rest is not
   * looked at. The answer holds one result for each block looked at, so the last may be a refusal.
   *
   * @param more many blocks follow on these at once: they may be committed together with them, within seconds
   * @throws ChainStopped when the service stops first; ChainFailed when the disk cannot be written any more.
   */
  addBlocks(blocks: readonly RawBlock[], source: BlockSource, more?: boolean): Promise<AddBlockResult[]>;
  /** The latest committed tip; no other thread is asked. */
  tip(): TipFacts;
  /** Makes block `height` the tip and forgets what stood above it. @throws RangeError above the tip, BelowFloor. */
  rewindTo(height: number): Promise<void>;
  on(event: 'commit', listener: CommitListener): void;
  off(event: 'commit', listener: CommitListener): void;
  /** Ends the step in hand, commits what is verified, drops what waits, closes the database. */
  stop(): Promise<void>;
}

/** The service was stopped before the work was done; nothing of it was committed. */
export class ChainStopped extends Error {
  override readonly name = 'ChainStopped';
  constructor() {
    super('the chain engine has stopped');
  }
}

/** The disk has too little room to write safely: blocks that were mined here are refused until it has more. */
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
