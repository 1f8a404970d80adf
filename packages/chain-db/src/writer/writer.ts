import type { VerifiedBlock } from '@wrkz/consensus';
import type { RawBlock } from '@wrkz/core-types';
import { accessError, DiskFull, sqliteFailure, type SqliteConnection, type SqliteStatement } from '@wrkz/sqlite';
import { CHAIN_FILE } from '../connection';
import { damageIn } from '../failures';
import { ChainDbError, CorruptDatabase, RefusedChange, WriterFailed, WrongLink } from '../errors';
import type { RunDirectory } from '../hash-index/lookup';
import { HashIndex, type HashIndexLimits } from '../hash-index/hash-index';
import { sameHashIn } from '../hashed-rows';
import { Floors } from '../modes/floors';
import type { RulesDigest } from '../block-row';
import type { KeyImageStore } from '../key-images';
import { type CompactStep, Pruner, type PruneStep } from '../modes/prune';
import { RulesDigester } from '../modes/rules-digest';
import { ChainReader } from '../reader/reader';
import { repairBlockPage } from '../repair/block-pages';
import { wholeBlock } from '../repair/fetch';
import { AlternativeStore } from '../alternatives';
import { appendBlock, checkVerified, type StorableBlock } from './append';
import { Rewinder, type RewoundBlock } from './rewind';
import { Store } from './store';

/** Hooks around each commit. An error of a hook fails the writer. */
export interface ChangeHooks {
  /** Called before the commit. */
  readonly before: () => void;
  /** Called after the commit. */
  readonly committed: () => void;
}

/** Methods for the rows of a snapshot: facts of blocks, outputs and key images. */
export type ImportedRows = Pick<Store, 'putBlock' | 'putOutput'> & { readonly keyImages: Pick<KeyImageStore, 'put'> };

/**
 * The only writer of the chain. Each method is one SQLite transaction: when it returns, the change is durable; when it throws,
 * nothing has changed.
 *
 * A disk error (full, failing, damaged, missing) closes the writer with WriterFailed, because caches and file may differ: open
 * the database again. Blocks that contradict the stored chain are rejected with RefusedChange, and the writer stays open.
 * Contradictions in the stored data throw CorruptDatabase.
 */
export class ChainWriter {
  /** On the connection of the writer: sees the change in progress. */
  private readonly reader: ChainReader;
  private readonly hashes: HashIndex;
  private readonly store: Store;
  private readonly rewinder: Rewinder;
  private readonly pruner: Pruner;
  private readonly floors: Floors;
  private readonly alternatives: AlternativeStore;
  private readonly putDigest: SqliteStatement<[number, Buffer]>;
  private failure: WriterFailed | undefined;
  /** Continues from the last stored digest; undefined after a rewind or an error. */
  private digester: RulesDigester | undefined;
  /** Pages freed since the last checkpoint that truncated the file. */
  private givenBack = 0;

  /** @param limits of the LSM index, for tests */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly hooks: ChangeHooks,
    limits?: HashIndexLimits,
  ) {
    this.hashes = new HashIndex(connection, sameHashIn(connection), limits);
    this.reader = new ChainReader(connection, { directory: () => this.hashDirectory });
    this.store = new Store(connection, this.hashes);
    this.rewinder = new Rewinder(connection, this.reader, this.hashes, this.store);
    this.alternatives = new AlternativeStore(connection, this.reader);
    this.pruner = new Pruner(connection, this.reader);
    this.floors = new Floors(connection);
    this.putDigest = connection.prepare('INSERT INTO rules_digests (height, digest) VALUES (?, ?)');
  }

  /** The error that closed the writer; undefined while it is open. */
  get failed(): WriterFailed | undefined {
    return this.failure;
  }

  /** Bloom filters of the LSM index, for readers of this thread. */
  get hashDirectory(): RunDirectory | undefined {
    return this.failure === undefined ? this.hashes.directory : undefined;
  }

  /**
   * Appends blocks to the main chain: all or none. The first block of an empty database must be genesis.
   *
   * @throws WrongLink, KeyImageSpent, RefusedChange, CorruptDatabase, WriterFailed
   */
  append(blocks: readonly VerifiedBlock[]): void {
    if (blocks.length === 0) return;
    this.change(() => this.appendAll(blocks));
  }

  /**
   * Inserts rows of a snapshot below the height of a lite node in one transaction. The rows are not checked here.
   * @throws KeyImageSpent, CorruptDatabase, WriterFailed; RefusedChange on any other node
   */
  importStep(work: (rows: ImportedRows) => void): void {
    if (this.floors.lite === undefined) throw new RefusedChange('only a lite node accepts rows without blocks');
    this.change(() => {
      work(this.store);
      this.hashes.flush();
    });
  }

  /**
   * Makes block `height` the tip: removes all blocks above, with their rows and the alternative blocks on them.
   *
   * @returns the removed blocks, ascending; empty if `height` is the tip
   * @throws RangeError below 0 or above the tip, CorruptDatabase, WriterFailed; BelowFloor if a block to be removed has no body,
   *   since it could not be restored
   */
  rewindTo(height: number): RewoundBlock[] {
    return this.change(() => {
      const removed = this.rewind(height);
      this.alternatives.dropUnrooted();
      return removed;
    });
  }

  /**
   * A reorganisation in one transaction: rewinds to `forkHeight` and appends `blocks`, which are removed from the alternatives.
   *
   * @param keepOld store the removed blocks as alternatives; a block without a body cannot be stored, nor the blocks above it
   * @returns the removed blocks, ascending
   * @throws as `rewindTo` and `append`
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
   * Stores an alternative block, unless it is already stored.
   *
   * @throws WrongLink if its parent is unknown, or if the block is on the main chain
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

  /** Removes alternative blocks and their descendants; unknown ids are ignored. */
  dropAlternatives(hashes: readonly Buffer[]): void {
    if (hashes.length === 0) return;
    this.change(() => {
      this.alternatives.drop(hashes);
      this.alternatives.dropUnrooted();
    });
  }

  /**
   * One step of pruning: deletes bodies and signatures below `floor`, except of genesis, then returns free pages to the file
   * system. Call it until it is done. The database is consistent between steps, and other changes are allowed.
   *
   * @param floor height of the lowest body to keep, at most tip + 1; the floor is never lowered
   * @param milliseconds approximate duration of the step
   * @throws RangeError for a higher floor, RefusedChange on a lite node, CorruptDatabase, WriterFailed
   */
  pruneStep(floor: number, milliseconds = 20): PruneStep {
    const step = this.change(() => {
      const tip = this.reader.height();
      if (!Number.isInteger(floor) || floor > tip + 1)
        throw new RangeError(`cannot prune below ${floor} of ${tip + 1}`);
      if (this.floors.lite !== undefined) throw new RefusedChange('a lite node is not pruned');
      const before = this.floors.bodies();
      const reached = this.pruner.raise(floor, milliseconds);
      const freedPages = reached === before ? this.pruner.releasePages(milliseconds) : 0;
      const isReleased = this.pruner.isTight || (reached === before && freedPages === 0);
      return { floor: reached, done: reached >= floor && isReleased, freedPages };
    });
    this.givenBack += step.freedPages;
    if (step.done && this.givenBack > 0) {
      // The file shrinks with a checkpoint. PASSIVE does not wait for readers.
      this.orFail(() => void this.connection.pragma('wal_checkpoint(PASSIVE)'));
      this.givenBack = 0;
    }
    return step;
  }

  /**
   * One step of compaction: returns free pages to the file system, except a reserve for the next blocks. Call it until it is
   * done.
   *
   * @param milliseconds approximate duration of the step
   * @throws CorruptDatabase, WriterFailed
   */
  compactStep(milliseconds = 20): CompactStep {
    if (this.failure === undefined && this.pruner.isTight) return { done: true, freedPages: 0 };
    return this.change(() => {
      const freedPages = this.pruner.releasePages(milliseconds);
      return { done: freedPages === 0 || this.pruner.isTight, freedPages };
    });
  }

  /**
   * Stores the next due rules digests.
   *
   * @param milliseconds approximate duration of the step
   * @returns the height of the next digest; call it again while the tip is at or above this height
   * @throws CorruptDatabase, WriterFailed
   */
  digestStep(milliseconds = 20): number {
    if (this.failure !== undefined) throw this.failure;
    const { digests, next } = this.dueDigests(milliseconds);
    if (digests.length > 0) {
      this.change(() => {
        for (const { height, digest } of digests) this.putDigest.run(height, digest);
      });
    }
    return next;
  }

  /** Reads outside of a change, so that damage of old blocks does not close the writer. */
  private dueDigests(milliseconds: number): { digests: RulesDigest[]; next: number } {
    try {
      return this.reader.snapshot(() => {
        const tip = this.reader.height();
        const digester = (this.digester ??= new RulesDigester(this.reader, this.reader.storedRulesDigest(tip)));
        const stop = performance.now() + milliseconds;
        const digests: RulesDigest[] = [];
        while (digester.nextStored <= tip) {
          digests.push(digester.advance(digester.nextStored));
          if (performance.now() >= stop) break;
        }
        return { digests, next: digester.nextStored };
      });
    } catch (error) {
      this.digester = undefined;
      throw error;
    }
  }

  /**
   * Appends blocks of a damaged database: all or none. Consensus rules are not checked: only a repair calls this, and verifies
   * the database afterwards.
   *
   * @throws as `append`
   */
  restore(blocks: readonly StorableBlock[]): void {
    this.change(() => this.appendBlocks(blocks));
  }

  /**
   * Repairs a damaged page with the blocks that have rows on it, in place. The write-ahead log must be empty.
   * @returns false if the page is intact, has other data, or the blocks do not match the neighbouring pages
   * @throws WriterFailed
   */
  repairPage(page: number, blocks: readonly { readonly height: number; readonly raw: RawBlock }[]): boolean {
    if (this.failure !== undefined) throw this.failure;
    const whole = blocks.flatMap(({ height, raw }) => {
      const block = wholeBlock(raw);
      return block === undefined ? [] : [[height, block] as const];
    });
    this.digester = undefined;
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
    this.digester = undefined;
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
    this.digester = undefined;
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
      // The failure is already reported.
    }
    return this.failure;
  }
}
