import type { NetworkName } from '@wrkz/core-types';
import { networkOf } from '@wrkz/core-types';
import { EventLoopYielder, makeFolders } from '@wrkz/service-kit/base';
import { sqliteFailure, takeWriteLock, type SqliteConnection } from '@wrkz/sqlite';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from '../connection';
import { damageIn } from '../damage';
import { ChainDbError, CorruptDatabase, DatabaseMissing, NotAChainDatabase, WrongNetwork } from '../errors';
import type { ChainDb } from '../open';
import { toChainDbError } from '../open-errors';
import { ChainReader } from '../reader/reader';
import type { AlternativeBlock } from '../reader/alternatives';
import { readMeta } from '../meta';
import { verifyChain } from '../verify/verify';
import { DamagedChain } from './damaged-chain';
import { openDamagedFile, removeCopies } from './damaged-file';
import { FetchedBlocks } from './fetched-blocks';
import { floorsOfDamaged } from './floors';
import { LowerRowsDisagree } from './lower-rows';
import { openNewDatabase, removeUnfinished, windowOf } from './new-database';
import { type FetchBlocks, MissingBlocks } from './obtain';
import type { RestoredBlock } from './restored-block';
import { finishSwap, repairFolder, swapIn } from './swap';
import { orNothing } from './tolerant';

/** What a repair does at the moment. */
export type RepairStep = 'verify' | 'look' | 'fetch' | 'build' | 'verify new';

export interface RepairOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** The height of a lite node, where the operator names it; else the database tells. */
  readonly lite?: number | undefined;
  /** Called only where blocks are needed that the database does not have whole. */
  readonly fetch: FetchBlocks;
  /** Ends it early, within some milliseconds of a turn: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (step: RepairStep, done: number, of: number) => void;
  /** What the verification has found, before anything is done about it. */
  readonly onDamage?: (problems: readonly string[]) => void;
}

export type RepairReport =
  | { readonly outcome: 'sound'; readonly height: number }
  | {
      readonly outcome: 'repaired';
      readonly height: number;
      readonly fetched: number;
      /** Blocks at the top that nothing whole tells of: they come with the next synchronisation. */
      readonly dropped: number;
      /** Damaged blocks off the main chain, which are left out. */
      readonly forgotten: number;
      /** The folder where the damaged file is kept. */
      readonly kept: string;
    }
  /** Blocks that nobody gave; the database is as it was, and what was fetched is kept for the next try. */
  | { readonly outcome: 'missing'; readonly missing: readonly number[]; readonly fetched: number };

/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;
/** Blocks put into the new database in one commit. */
const BATCH = 200;

/**
 * Repairs a database into a new file (docs/protocol/storage.md#repair): every row that fits its checksum is taken over, what is
 * not whole is made again from whole rows or fetched by its id, and the rest, look-ups and indexes, is built anew. The damaged
 * file is only read, and moved aside when the new one is whole and verified.
 *
 * @throws DatabaseLocked, DatabaseMissing, WrongNetwork, CorruptDatabase where what comes of it is not sound; the signal's reason
 */
export async function repairChainDb(options: RepairOptions): Promise<RepairReport> {
  const { directory } = options;
  finishSwap(directory);
  const file = databaseFile(directory);
  if (!existsSync(file)) throw new DatabaseMissing(directory);
  let lock;
  try {
    lock = takeWriteLock(join(directory, 'chain.lock'), { file, title: 'chain database' });
  } catch (error) {
    throw toChainDbError(directory, error);
  }
  try {
    return await new Repair(options).run();
  } finally {
    lock.release();
  }
}

class Repair {
  private readonly folder: string;
  private readonly yielder = new EventLoopYielder(SLICE_MS);
  private fetched = 0;

  constructor(private readonly options: RepairOptions) {
    this.folder = repairFolder(options.directory);
  }

  async run(): Promise<RepairReport> {
    const { directory, network, onDamage } = this.options;
    const { problems, height } = await this.verify('verify', { directory, network });
    if (problems.length === 0) {
      // What an earlier repair has left: the database was mended in another way, or grew beyond it.
      rmSync(this.folder, { recursive: true, force: true });
      return { outcome: 'sound', height };
    }
    onDamage?.(problems);
    const connection = openDamagedFile(directory, network);
    try {
      assertNetwork(connection, directory, network);
      return await this.rebuild(connection);
    } finally {
      connection.close();
      removeCopies(directory);
    }
  }

  private async rebuild(connection: SqliteConnection): Promise<RepairReport> {
    const { network, lite } = this.options;
    const chain = new DamagedChain(connection, networkOf(network), floorsOfDamaged(connection, lite));
    for (;;) {
      const found = await this.gather(chain);
      if (found.missing !== undefined) return found.missing;
      const { top, blocks } = found;
      const alternatives = soundAlternatives(connection);
      makeFolders(this.folder);
      const isOnChain = (height: number, id: Buffer): boolean =>
        height <= top && (blocks.id(height) ?? chain.rows.whole(height)?.block.hash)?.equals(id) === true;
      const db = openNewDatabase(this.folder, network, chain.floors, isOnChain);
      try {
        await this.build(db, chain, blocks, top);
        db.writer?.restoreAlternatives(alternatives.whole);
        await this.assertSound(db, top);
      } catch (error) {
        if (!(error instanceof LowerRowsDisagree && chain.trustsLowerRows)) throw error;
        chain.distrustLowerRows();
        db.close();
        removeUnfinished(this.folder);
        continue;
      } finally {
        db.close();
      }
      if (existsSync(`${databaseFile(this.folder)}-wal`)) throw new CorruptDatabase('the new file could not be closed');
      const { fetched } = this;
      const kept = this.swap(connection);
      const { forgotten } = alternatives;
      return { outcome: 'repaired', height: top, fetched, dropped: found.dropped, forgotten, kept };
    }
  }

  /** Finds what is not whole, and fetches it. */
  private async gather(
    chain: DamagedChain,
  ): Promise<
    | { missing: RepairReport }
    | { missing?: undefined; readonly top: number; readonly dropped: number; readonly blocks: MissingBlocks }
  > {
    const { fetch, onProgress, signal } = this.options;
    const highest = chain.rows.top();
    if (highest < 0) {
      throw new CorruptDatabase('no block in it is whole; --resync deletes it and fetches everything from peers');
    }
    const missing = new Set<number>();
    await chain.lookBelow({ turn: () => this.yielder.yieldIfDue(signal), signal });
    for (let height = 0; height <= highest; height++) {
      if (!chain.isWhole(height)) missing.add(height);
      onProgress?.('look', height, highest);
      await this.yielder.yieldIfDue(this.options.signal);
    }
    const blocks = new MissingBlocks(chain, missing, highest, new FetchedBlocks(join(this.folder, 'fetched')));
    // Nothing above tells which blocks they were.
    let top = highest;
    for (; missing.has(top) && blocks.id(top) === undefined; top--) missing.delete(top);
    await blocks.obtain(fetch, (done, of) => onProgress?.('fetch', done, of));
    this.fetched += blocks.fetched;
    this.options.signal?.throwIfAborted();
    const lacking = blocks.lacking();
    if (lacking.length > 0) return { missing: { outcome: 'missing', missing: lacking, fetched: this.fetched } };
    return { top, dropped: highest - top, blocks };
  }

  private async build(db: ChainDb, chain: DamagedChain, blocks: MissingBlocks, top: number): Promise<void> {
    const { writer } = db;
    if (writer === undefined) throw new TypeError('the new database is open for reading');
    const state = windowOf(db);
    const { window } = state;
    let { below } = state;
    let batch: RestoredBlock[] = [];
    chain.rewindLowerRows();
    for (let height = db.reader.height() + 1; height <= top; height++) {
      const block = chain.restored(height, blocks.block(height), below, window);
      if (block === undefined) throw new CorruptDatabase(`block ${height} changed while it was read`);
      window.push((below = block.facts));
      batch.push(block);
      if (batch.length === BATCH || height === top) {
        writer.restore(batch, chain.floors.bodies);
        batch = [];
      }
      this.options.onProgress?.('build', height, top);
      await this.yielder.yieldIfDue(this.options.signal);
    }
  }

  private async assertSound(db: ChainDb, top: number): Promise<void> {
    const { problems, height } = await this.verify('verify new', db);
    if (problems.length === 0 && height === top) return;
    // It would be the same again the next time.
    db.close();
    removeUnfinished(this.folder);
    throw new CorruptDatabase(`what could be read does not make a sound chain: ${problems.slice(0, 3).join('; ')}`);
  }

  private swap(connection: SqliteConnection): string {
    const { directory, signal } = this.options;
    signal?.throwIfAborted();
    connection.close();
    return swapIn(directory);
  }

  private async verify(
    step: RepairStep,
    db: Pick<ChainDb, 'directory' | 'network'>,
  ): Promise<{ readonly problems: readonly string[]; readonly height: number }> {
    const { signal, onProgress } = this.options;
    try {
      return await verifyChain(db, {
        onProgress: (height, tip) => onProgress?.(step, height, tip),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      // A file that cannot even be opened.
      if (signal?.aborted === true || !isDamage(error)) throw error;
      return { problems: [error instanceof Error ? error.message : String(error)], height: -1 };
    }
  }
}

/** Whether an error of opening says that the file is damaged. */
function isDamage(error: unknown): boolean {
  if (error instanceof NotAChainDatabase || damageIn(error) !== undefined) return true;
  // A table or column whose name is damaged is not found.
  if (sqliteFailure(error)?.code === 'SQLITE_ERROR') return true;
  return error instanceof ChainDbError && error.code === 'NOT_A_CHAIN_DATABASE';
}

/** @throws WrongNetwork where anything whole says so */
function assertNetwork(connection: SqliteConnection, directory: string, network: NetworkName): void {
  const found = orNothing(() => readMeta(connection, 'network'));
  if (found !== undefined && found !== network) throw new WrongNetwork(directory, found, network);
}

/** Blocks off the main chain, as far as they are whole. */
function soundAlternatives(connection: SqliteConnection): { whole: AlternativeBlock[]; forgotten: number } {
  const reader = new ChainReader(connection);
  const rows =
    orNothing(() =>
      connection.prepare<[], [Buffer]>('SELECT hash FROM alternatives NOT INDEXED ORDER BY height, id').raw(true).all(),
    ) ?? [];
  const whole = rows.flatMap(([hash]) => orNothing(() => reader.alternative(hash)) ?? []);
  return { whole, forgotten: rows.length - whole.length };
}
