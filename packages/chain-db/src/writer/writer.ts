import type { VerifiedBlock } from '@wrkz/consensus';
import type { RawBlock } from '@wrkz/core-types';
import { accessError, DiskFull, sqliteFailure, type SqliteConnection } from '@wrkz/sqlite';
import { CHAIN_FILE } from '../connection';
import { damageIn } from '../failures';
import { ChainDbError, CorruptDatabase, RefusedChange, WriterFailed, WrongLink } from '../errors';
import type { RunDirectory } from '../hash-index/lookup';
import { HashIndex, type HashIndexLimits } from '../hash-index/hash-index';
import { sameHashIn } from '../hashed-rows';
import { Floors } from '../modes/floors';
import type { KeyImageStore } from '../key-images';
import { type CompactStep, Pruner, type PruneStep } from '../modes/prune';
import { ChainReader } from '../reader/reader';
import { repairBlockPage } from '../repair/block-pages';
import { wholeBlock } from '../repair/whole-block';
import { AlternativeStore } from '../alternatives';
import { appendBlock, checkVerified, type StorableBlock } from './append';
import { Rewinder, type RewoundBlock } from './rewind';
import { Store } from './store';

/** What surrounds each change; what it throws ends the writer. */
export interface ChangeHooks {
  /** Whether a commit would be one to keep. */
  readonly before: () => void;
  /** The change is on the disk. */
  readonly committed: () => void;
}

/** What the import of a snapshot puts: facts of blocks, outputs and key images. */
export type ImportedRows = Pick<Store, 'putBlock' | 'putOutput'> & { readonly keyImages: Pick<KeyImageStore, 'put'> };

/**
 * The one way in which the chain changes. Each method is one SQLite transaction: when it returns the change is on the
 * disk, when it throws nothing has changed.
 *
 * An error of the disk (full, failing, damaged, no longer there) closes the writer for good with WriterFailed, because
 * after it memory and file may disagree: whoever goes on opens the database again. Blocks that do not follow from what is
 * stored, or spend what is spent, are refused with a RefusedChange and the writer lives on. Where what is stored
 * contradicts itself a CorruptDatabase tells so.
 */
export class ChainWriter {
  /** Over the writing connection: sees the change in progress. */
  private readonly reader: ChainReader;
  private readonly hashes: HashIndex;
  private readonly store: Store;
  private readonly rewinder: Rewinder;
  private readonly pruner: Pruner;
  private readonly floors: Floors;
  private readonly alternatives: AlternativeStore;
  private failure: WriterFailed | undefined;
  /** Pages that were given back since the file shrank. */
  private givenBack = 0;

  /** @param limits how the hash look-ups are kept; other numbers are for tests */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly hooks: ChangeHooks,
    limits?: HashIndexLimits,
  ) {
    this.hashes = new HashIndex(connection, sameHashIn(connection), limits);
    this.reader = new ChainReader(connection, () => this.hashDirectory);
    this.store = new Store(connection, this.hashes);
    this.rewinder = new Rewinder(connection, this.reader, this.hashes);
    this.alternatives = new AlternativeStore(connection, this.reader);
    this.pruner = new Pruner(connection, this.reader);
    this.floors = new Floors(connection);
  }

  /** Why the writer takes no more changes; undefined while it does. */
  get failed(): WriterFailed | undefined {
    return this.failure;
  }

  /** The filters of the hash look-ups, for readers of this thread. */
  get hashDirectory(): RunDirectory | undefined {
    return this.failure === undefined ? this.hashes.directory : undefined;
  }

  /**
   * Puts blocks on the tip of the main chain, in order; all or none. The first block of an empty database must be genesis.
   *
   * @throws WrongLink, KeyImageSpent, RefusedChange, CorruptDatabase, WriterFailed
   */
  append(blocks: readonly VerifiedBlock[]): void {
    if (blocks.length === 0) return;
    this.change(() => this.appendAll(blocks));
  }

  /**
   * One change of the import of a snapshot: `work` puts rows of blocks below the height of a lite node, which nothing here
   * can check.
   * @throws KeyImageSpent, CorruptDatabase, WriterFailed; RefusedChange on any other node
   */
  importStep(work: (rows: ImportedRows) => void): void {
    if (this.floors.lite === undefined) throw new RefusedChange('only a lite node takes rows without their blocks');
    this.change(() => {
      work(this.store);
      this.hashes.flush();
    });
  }

  /**
   * Makes block `height` the tip: deletes what stands above it and what the deleted blocks carried, with the alternative
   * blocks that stood on them.
   *
   * @returns the removed blocks, lowest first; nothing when `height` is the tip already
   * @throws RangeError below 0 or above the tip, CorruptDatabase, WriterFailed; BelowFloor when a block would go whose bytes
   *   are not kept, because neither it nor the chain below could be had again from here
   */
  rewindTo(height: number): RewoundBlock[] {
    return this.change(() => {
      const removed = this.rewind(height);
      this.alternatives.dropUnrooted();
      return removed;
    });
  }

  /**
   * A reorganisation in one step: back to `forkHeight`, then `blocks` on that, which leave the alternatives.
   *
   * @param keepOld keep the removed blocks as alternatives, with those that stand on them; one without its bytes cannot be
   *   kept, and what stands on it goes with it
   * @returns the removed blocks, lowest first
   * @throws as `rewindTo` and `append`; then the old chain stands unchanged
   */
  switchBranch(forkHeight: number, blocks: readonly VerifiedBlock[], keepOld: boolean): RewoundBlock[] {
    return this.change(() => {
      const forkHash = this.reader.hashAt(forkHeight);
      const removed = this.rewind(forkHeight);
      this.appendAll(blocks);
      let parent = forkHash;
      for (const { facts, raw } of keepOld ? removed : []) {
        if (parent !== undefined && raw !== undefined) this.alternatives.put(facts, parent, raw);
        parent = facts.hash;
      }
      this.alternatives.dropUnrooted();
      return removed;
    });
  }

  /**
   * Keeps a block off the main chain. A block that is kept already stays as it is.
   *
   * @throws WrongLink when its parent is on no branch, or when it is on the main chain
   */
  putAlternative(verified: VerifiedBlock): void {
    checkVerified(verified);
    const { block, transactions, facts } = verified;
    const parent = block.block.previousHash;
    this.change(() => {
      const name = `alternative block ${facts.hash.toString('hex')}`;
      if (this.reader.heightOf(facts.hash) !== undefined) throw new WrongLink(`${name} is on the main chain`);
      const parentHeight = this.reader.heightOf(parent) ?? this.reader.alternativeInfo(parent)?.facts.height;
      if (parentHeight !== facts.height - 1) throw new WrongLink(`${name} has no parent at height ${facts.height - 1}`);
      this.alternatives.put(facts, parent, {
        block: block.bytes,
        transactions: transactions.map(({ bytes }) => bytes),
      });
    });
  }

  /** Drops blocks off the main chain, and those that stand on them; ids that are not kept are passed over. */
  dropAlternatives(hashes: readonly Buffer[]): void {
    if (hashes.length === 0) return;
    this.change(() => {
      this.alternatives.drop(hashes);
      this.alternatives.dropUnrooted();
    });
  }

  /**
   * One step of pruning: bodies and signatures of blocks below `floor` are deleted, genesis aside, and then empty pages are
   * given back to the file system. To be called until it says that all is done; between two calls everything fits together,
   * also after a kill, and other changes may come in between.
   *
   * @param floor height from which on bodies are to be kept, at most one above the tip; one that is reached stays
   * @param milliseconds of work, roughly, before the step is committed
   * @throws RangeError above that, RefusedChange on a lite node, CorruptDatabase, WriterFailed
   */
  pruneStep(floor: number, milliseconds = 20): PruneStep {
    const step = this.change(() => {
      const tip = this.reader.height();
      if (!Number.isInteger(floor) || floor > tip + 1)
        throw new RangeError(`cannot prune below ${floor} of ${tip + 1}`);
      if (this.floors.lite !== undefined) throw new RefusedChange('a lite node is not pruned');
      const before = this.floors.bodies();
      const reached = this.pruner.raise(floor, milliseconds);
      const freedPages = reached === before ? this.pruner.giveBack(milliseconds) : 0;
      const isGivenBack = this.pruner.isTight || (reached === before && freedPages === 0);
      return { floor: reached, done: reached >= floor && isGivenBack, freedPages };
    });
    this.givenBack += step.freedPages;
    if (step.done && this.givenBack > 0) {
      // The file itself shrinks with a checkpoint, which waits for nobody.
      this.orFail(() => void this.connection.pragma('wal_checkpoint(PASSIVE)'));
      this.givenBack = 0;
    }
    return step;
  }

  /**
   * One step of compaction: gives empty pages back to the file system, all but what the next blocks need. To be called until
   * it says that all is done, as with `pruneStep`; works in every storage mode.
   *
   * @param milliseconds of work, roughly, before the step is committed
   * @throws CorruptDatabase, WriterFailed
   */
  compactStep(milliseconds = 20): CompactStep {
    if (this.failure === undefined && this.pruner.isTight) return { done: true, freedPages: 0 };
    return this.change(() => {
      const freedPages = this.pruner.giveBack(milliseconds);
      return { done: freedPages === 0 || this.pruner.isTight, freedPages };
    });
  }

  /**
   * Appends blocks of a damaged database, in order; all or none. No rule is checked again: only a repair calls this, and
   * verifies the database afterwards.
   *
   * @throws as `append`
   */
  restore(blocks: readonly StorableBlock[]): void {
    this.change(() => this.appendBlocks(blocks));
  }

  /**
   * Repairs a damaged page with the blocks that have rows on it, in place. The write-ahead log must be empty.
   * @returns false where the page is sound, has other data, or the blocks do not fit the pages beside it
   * @throws WriterFailed
   */
  repairPage(page: number, blocks: readonly { readonly height: number; readonly raw: RawBlock }[]): boolean {
    if (this.failure !== undefined) throw this.failure;
    const whole = blocks.flatMap(({ height, raw }) => {
      const block = wholeBlock(raw);
      return block === undefined ? [] : [[height, block] as const];
    });
    return repairBlockPage(this.connection, page, new Map(whole));
  }

  private appendAll(blocks: readonly VerifiedBlock[]): void {
    for (const verified of blocks) checkVerified(verified);
    this.appendBlocks(blocks);
  }

  private appendBlocks(blocks: readonly StorableBlock[]): void {
    let tip = this.reader.height() < 0 ? undefined : this.reader.tip();
    const branches = this.reader.alternativeCount() > 0;
    for (const block of blocks) {
      appendBlock(this.store, block, tip, this.floors.hasRecords(block.facts.height) ? 'whole' : 'reduced');
      tip = block.facts;
      if (branches) this.alternatives.drop([tip.hash]);
    }
    this.hashes.flush();
  }

  private rewind(height: number): RewoundBlock[] {
    const tip = this.reader.height();
    if (!Number.isInteger(height) || height < 0 || height > tip) {
      throw new RangeError(`cannot rewind to height ${height}: the chain has blocks 0 to ${tip}`);
    }
    if (height < tip && !this.floors.hasBody(height + 1)) throw this.floors.below(height + 1);
    const removed = this.rewinder.rewindTo(height);
    this.hashes.flush();
    this.store.reset();
    return removed;
  }

  private change<T>(work: () => T): T {
    if (this.failure !== undefined) throw this.failure;
    this.orFail(this.hooks.before);
    let result: T;
    try {
      this.connection.exec('BEGIN IMMEDIATE');
      result = work();
      this.connection.exec('COMMIT');
    } catch (error) {
      throw this.undo(error);
    }
    this.orFail(this.hooks.committed);
    return result;
  }

  private orFail(hook: () => void): void {
    try {
      hook();
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** Rolls back. @returns the error that the caller gets */
  private undo(error: unknown): unknown {
    this.store.reset();
    this.hashes.rolledBack();
    const failure = sqliteFailure(error);
    try {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
      if (failure === undefined) return error;
      if (failure.code.startsWith('SQLITE_CONSTRAINT')) {
        return new CorruptDatabase(`stored rows contradict the change (${failure.message})`);
      }
    } catch (second) {
      return damageIn(second) ?? this.fail(error instanceof ChainDbError ? second : error);
    }
    return this.fail(error);
  }

  private fail(cause: unknown): WriterFailed {
    const named = accessError({ ...CHAIN_FILE, file: this.connection.name }, cause);
    this.failure = new WriterFailed(named instanceof DiskFull ? named : cause);
    try {
      this.connection.close();
    } catch {
      // The failure is known already; the operating system takes the file back with the process.
    }
    return this.failure;
  }
}
