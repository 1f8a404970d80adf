import type { NetworkName } from '@wrkz/core-types';
import {
  FileInaccessible,
  FileLocked,
  FileMissing,
  fitsChecksum,
  IncompleteFiles,
  NotAdopted,
  openDatabase,
  sealPage,
  SqliteConnection,
  SqliteFileError,
  WrongSchemaVersion,
} from '@wrkz/sqlite';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { chainFile, connectionOptions, databaseFile, lockChain, logBytes } from '../connection';
import { damageIn } from '../failures';
import { ChainDbError, CorruptDatabase } from '../errors';
import { openChainDb } from '../open';
import { ChainReader } from '../reader/reader';
import { PAGE_SIZE } from '../schema';
import { badPages } from '../verify/page-check';
import { verifyChain } from '../verify/verify';
import { blocksOfPage, repairBlockPage } from './block-pages';
import { type FetchBlocks, fetchByIds } from './fetch';
import { rebuildChain } from './rebuild';
import { finishSwap, repairFolder, swapIn } from './swap';

/** Step of a repair. */
export type RepairStep = 'verify' | 'fetch' | 'rebuild' | 'verify new';

export interface RepairOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** Called only for blocks that cannot be read from the database. */
  readonly fetch: FetchBlocks;
  /** Aborts the repair: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (step: RepairStep, height: number, tip: number) => void;
  /** Receives the findings of the verification before the repair begins. */
  readonly onDamage?: (problems: readonly string[]) => void;
}

export type RepairReport =
  | { readonly outcome: 'sound'; readonly height: number }
  /** Damaged pages with the bytes of blocks were rewritten in place. */
  | { readonly outcome: 'pages repaired'; readonly pages: number; readonly fetched: number; readonly height: number }
  | {
      readonly outcome: 'rebuilt';
      readonly height: number;
      readonly fetched: number;
      /** Number of highest blocks that the next synchronisation must download. */
      readonly dropped: number;
      /** The folder of the damaged files. */
      readonly damagedFolder: string;
    }
  /** No peer sent these blocks. The database is unchanged; the next repair continues with the fetched blocks. */
  | { readonly outcome: 'missing'; readonly missing: readonly number[]; readonly fetched: number };

/**
 * Repairs a chain database (docs/protocol/storage.md#repair). Damaged pages with the bytes of blocks are rebuilt from blocks of
 * peers, in place. For any other damage a new database is built from the readable blocks and from blocks of peers. It is verified
 * and replaces the damaged one, which is moved to another folder.
 *
 * @throws IncompleteFiles for an unusable log or a truncated file; FileLocked, FileMissing, FileInaccessible; NeedsWholeChain;
 *   CorruptDatabase if the new database fails its verification; the signal's reason
 */
export async function repairChainDb(options: RepairOptions): Promise<RepairReport> {
  const { directory } = options;
  finishSwap(directory);
  if (!existsSync(databaseFile(directory))) throw new FileMissing(chainFile(directory));
  recoverLog(directory, logBytes(directory) > 0 ? 'write' : 'read');
  const lock = lockChain(directory);
  try {
    return await repair(options);
  } finally {
    lock.release();
  }
}

/**
 * Checks the write-ahead log of a killed daemon and copies it into the file, because pages are repaired in the file. An invalid
 * log must not be applied, and a missing one must be detected. Also upgrades the schema, which the verification needs.
 *
 * @throws IncompleteFiles, FileLocked, FileInaccessible
 */
function recoverLog(directory: string, mode: 'read' | 'write'): void {
  try {
    openDatabase({ ...connectionOptions(directory, mode), create: false }).close();
  } catch (error) {
    if (mode === 'read' && error instanceof WrongSchemaVersion && error.found < error.wanted)
      return recoverLog(directory, 'write');
    const isRefused = [IncompleteFiles, FileLocked, FileInaccessible].some((type) => error instanceof type);
    // A copy without a control file is detected by the next open, and damage by the verification.
    const isLater = error instanceof NotAdopted || (error instanceof SqliteFileError && !isRefused);
    if (!isLater) throw error;
  }
}

async function repair(options: RepairOptions): Promise<RepairReport> {
  const { directory, network, onDamage } = options;
  const target = repairFolder(directory);
  const { problems, height } = await verify(options, directory, 'verify');
  if (problems.length === 0) {
    // Left by an interrupted repair; the database was replaced since.
    rmSync(target, { recursive: true, force: true });
    return { outcome: 'sound', height };
  }
  onDamage?.(problems);
  const firstPage = replaceFirstPage(directory, network, join(target, 'first-page'));
  let isRepaired = false;
  try {
    const report = (await repairInPlace(options, firstPage === undefined ? 0 : 1)) ?? (await rebuild(options));
    isRepaired = report.outcome !== 'missing';
    return report;
  } finally {
    if (firstPage !== undefined && !isRepaired) restoreFirstPage(directory, firstPage);
  }
}

/** @param replaced pages that are already replaced @returns undefined if a new database must be built */
async function repairInPlace(options: RepairOptions, replaced: number): Promise<RepairReport | undefined> {
  const { directory } = options;
  const fixed = await repairPages(options);
  if (fixed === undefined || fixed.pages + replaced === 0) return undefined;
  const { problems, height } = await verify(options, directory, 'verify');
  if (problems.length > 0) return undefined;
  rmSync(repairFolder(directory), { recursive: true, force: true });
  return { outcome: 'pages repaired', pages: fixed.pages + replaced, fetched: fixed.fetched, height };
}

/** Builds a new database and swaps it in. */
async function rebuild(options: RepairOptions): Promise<RepairReport> {
  const { directory, network, onProgress } = options;
  const target = repairFolder(directory);
  const rebuilt = await rebuildChain({
    ...options,
    target,
    network,
    onProgress: (done, tip) => onProgress?.('rebuild', done, tip),
  });
  const { missing, fetched, dropped } = rebuilt;
  if (missing.length > 0) return { outcome: 'missing', missing, fetched };
  const found = await verify(options, target, 'verify new');
  if (found.problems.length > 0 || found.height !== rebuilt.height) {
    rmSync(target, { recursive: true, force: true });
    throw new CorruptDatabase(`its blocks do not form a valid chain: ${found.problems.slice(0, 3).join('; ')}`);
  }
  options.signal?.throwIfAborted();
  return { outcome: 'rebuilt', height: rebuilt.height, fetched, dropped, damagedFolder: swapIn(directory) };
}

/** Repairs every damaged page from blocks or from its child pages. @returns undefined if a page cannot be repaired */
async function repairPages({
  directory,
  fetch,
  onProgress,
}: RepairOptions): Promise<{ pages: number; fetched: number } | undefined> {
  // The log could not be copied (damaged first pages, or a reader uses it), so the file does not have the newest state.
  if (logBytes(directory) > 0) return { pages: 0, fetched: 0 };
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(databaseFile(directory), { fileMustExist: true });
    const reader = new ChainReader(connection);
    const pages = badPages(connection);
    const wanted = pages.map((page) => ({ page, blocks: blocksOfPage(reader, page) }));
    if (wanted.some(({ blocks }) => blocks === undefined)) return undefined;
    let fetched = 0;
    for (const [i, { page, blocks = [] }] of wanted.entries()) {
      onProgress?.('fetch', i, pages.length);
      const got = await fetchByIds(blocks, fetch);
      fetched += got.size;
      if (got.size < blocks.length || !repairBlockPage(connection, page, got)) return undefined;
    }
    return { pages: pages.length, fetched };
  } catch (error) {
    // Other damage prevents the lookup of a page's owner.
    if (damageIn(error) === undefined && !(error instanceof ChainDbError)) throw error;
    return undefined;
  } finally {
    connection?.close();
  }
}

async function verify(
  { network, signal, onProgress }: RepairOptions,
  directory: string,
  step: RepairStep,
): Promise<{ readonly problems: readonly string[]; readonly height: number }> {
  try {
    return await verifyChain(
      { directory, network },
      {
        onProgress: (height, tip) => onProgress?.(step, height, tip),
        ...(signal === undefined ? {} : { signal }),
      },
    );
  } catch (error) {
    if (signal?.aborted === true) throw error;
    // The file cannot even be opened.
    const damage = error instanceof ChainDbError || error instanceof SqliteFileError ? error : damageIn(error);
    if (damage === undefined) throw error;
    return { problems: [damage.message], height: -1 };
  }
}

/** Fields of the database header: https://www.sqlite.org/fileformat.html#the_database_header */
const PAGE_COUNT = 28;
const FREE_LIST = 32;

/**
 * Replaces a damaged page 1, which has the header and the schema, by page 1 of a new database: the schema and the root pages
 * are the same in every chain database. The list of free pages is lost: a database with free pages must not be written then.
 *
 * @param folder an empty folder for the new database
 * @returns the damaged page; undefined if the page is intact, which changes nothing
 */
function replaceFirstPage(directory: string, network: NetworkName, folder: string): Buffer | undefined {
  const file = openSync(databaseFile(directory), 'r+');
  try {
    const page = Buffer.alloc(PAGE_SIZE);
    readSync(file, page, 0, PAGE_SIZE, 0);
    if (fitsChecksum(page)) return undefined;
    openChainDb({ directory: folder, network }).close();
    const fresh = readFileSync(databaseFile(folder)).subarray(0, PAGE_SIZE);
    rmSync(folder, { recursive: true });
    fresh.writeUInt32BE(Math.floor(fstatSync(file).size / PAGE_SIZE), PAGE_COUNT);
    fresh.fill(0, FREE_LIST, FREE_LIST + 8);
    sealPage(fresh);
    writeFirstPage(file, fresh);
    return page;
  } finally {
    closeSync(file);
  }
}

/** Writes the damaged page back, to restore the original file. */
function restoreFirstPage(directory: string, page: Buffer): void {
  const file = openSync(databaseFile(directory), 'r+');
  try {
    writeFirstPage(file, page);
  } finally {
    closeSync(file);
  }
}

function writeFirstPage(file: number, page: Buffer): void {
  writeSync(file, page, 0, PAGE_SIZE, 0);
  fsyncSync(file);
}
