import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { genesisBlock } from '@wrkz/consensus';
import { networkOf, type NetworkName } from '@wrkz/core-types';
import { EventLoopYielder, makeFolders, syncFolder, yieldToEventLoop } from '@wrkz/service-kit/base';
import { takeWriteLock } from '@wrkz/sqlite';
import { databaseFile } from '../connection';
import { type ChainDb, openChainDb } from '../open';
import { toChainDbError } from '../open-errors';
import { assertNetwork, removeDatabaseFiles } from '../remove';
import { finishSwap } from '../repair/swap';
import { isAcceptedSnapshot } from './accepted';
import { type GenesisRows, SnapshotAudit } from './audit';
import { changedMeanwhile, SnapshotRefused } from './errors';
import { FrameReader } from './frame-reader';
import { genesisRows } from './genesis-rows';
import { readSnapshotHeader, totalRecords, type SnapshotHeader } from './header';
import { RowImport } from './import-rows';
import { decodeRecord, type SnapshotRecord } from './records';
import { loadZstd, type Zstd } from './zstd';

export type ImportPhase = 'verify' | 'blocks' | 'write' | 'done';

export interface SnapshotImportOptions {
  readonly path: string;
  /** The folder of the database, which holds none, or one with nothing but genesis. */
  readonly directory: string;
  readonly network: NetworkName;
  readonly liteHeight: number;
  /** Digests that are accepted besides the built-in ones, as hex. */
  readonly accepted?: readonly string[];
  readonly checkpoint?: (height: number) => Buffer | undefined;
  /** Look at everything and write nothing. */
  readonly dryRun?: boolean;
  /** Takes the place of any chain of this network that is there, once the new database stands. */
  readonly replaces?: boolean;
  readonly signal?: AbortSignal;
  /** Records dealt with in this phase, and those of the file. */
  readonly onProgress?: (phase: ImportPhase, done: number, total: number) => void;
  /** A line for the operator. */
  readonly tell?: (line: string) => void;
}

/** Where a database is built until it is whole, inside the folder of the database. */
export const IMPORT_FOLDER = 'snapshot-import';

/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;

/**
 * Builds the database of a lite node from a snapshot: first everything is read and checked, then a new database is written beside the
 * place of the old one, and moved there when it is whole. A kill at any moment leaves the database of before, none, or the new one.
 *
 * @returns the header
 * @throws SnapshotRefused, NotALiteDatabase, LiteHeightDiffers, DatabaseLocked, DatabaseUnwritable; the signal's reason
 */
export async function importSnapshot(options: SnapshotImportOptions): Promise<SnapshotHeader> {
  const { directory, path } = options;
  const header = readSnapshotHeader(path);
  if (options.dryRun === true && !existsSync(directory)) return check(options, header);
  makeFolders(directory);
  // Else the next start would put the repaired database in the place of the imported one.
  finishSwap(directory);
  const lock = locked(directory);
  try {
    if (options.replaces === true) assertNetwork(directory, options.network);
    else assertEmpty(options);
    const checked = await check(options, header);
    if (options.dryRun !== true) await write(options, checked);
    return checked;
  } finally {
    lock.release();
  }
}

function locked(directory: string): ReturnType<typeof takeWriteLock> {
  try {
    return takeWriteLock(join(directory, 'chain.lock'), { file: databaseFile(directory), title: 'chain database' });
  } catch (error) {
    throw toChainDbError(directory, error);
  }
}

/** @throws SnapshotRefused, NotALiteDatabase, LiteHeightDiffers */
function assertEmpty({ directory, network, liteHeight }: SnapshotImportOptions): void {
  if (!existsSync(databaseFile(directory))) return;
  const db = openChainDb({ directory, network, readonly: true, lite: liteHeight });
  try {
    const height = db.reader.height();
    if (height > 0) {
      throw new SnapshotRefused(
        `This database already holds a chain up to block ${height}. A snapshot can only be imported into an empty one - ` +
          'nothing has been touched. Use a new data directory, or --resync to rebuild this one.',
      );
    }
  } finally {
    db.close();
  }
}

/** Everything that can be known before anything is written. */
async function check(options: SnapshotImportOptions, header: SnapshotHeader): Promise<SnapshotHeader> {
  assertHeader(options, header);
  const { path, network, checkpoint = () => undefined, tell } = options;
  tell?.(`Importing a lite node snapshot at height ${header.liteHeight} from ${path}`);
  tell?.(`Records: ${totalRecords(header)}, digest ${header.digest.toString('hex')}`);
  tell?.('Checking the snapshot before writing any of it...');
  assertLength(path, header);
  const genesis: GenesisRows = genesisRows(network);
  const audit = new SnapshotAudit({ header, genesis, checkpoint });
  const digest = await readAll(options, await loadZstd(), 'verify', (record) => audit.add(record));
  audit.finish(digest);
  return header;
}

function assertHeader({ network, liteHeight, accepted }: SnapshotImportOptions, header: SnapshotHeader): void {
  const { hash } = networkOf(network).genesis;
  if (!header.genesisHash.equals(hash)) {
    throw new SnapshotRefused(
      `That snapshot is for a chain whose genesis block is ${header.genesisHash.toString('hex')}, and this daemon's is ` +
        `${hash.toString('hex')}.`,
    );
  }
  if (header.liteHeight !== liteHeight) {
    throw new SnapshotRefused(
      `That snapshot describes the chain below height ${header.liteHeight}, and this daemon was started with --lite-height ` +
        `${liteHeight}. Restart with --lite-height ${header.liteHeight} to use it.`,
    );
  }
  if (isAcceptedSnapshot(header, accepted)) return;
  const digest = header.digest.toString('hex');
  throw new SnapshotRefused(
    `This build does not recognise that snapshot. Its digest is ${digest} at height ${header.liteHeight}, and no digest for ` +
      'that height is compiled into this daemon. ' +
      'What a snapshot holds cannot be checked without the blocks that it leaves out, so whoever imports one trusts whoever ' +
      'made it. If you have this digest from somebody you trust, name it with --accept-snapshot-digest; else use a published ' +
      'snapshot, or synchronize from the network.',
  );
}

/** Bytes that a block takes at least in a file: its hash, which nothing makes shorter. */
const BLOCK_IN_FILE = 32;

/** Memory is taken by the count of blocks, so it must be one that the file has room for. @throws SnapshotRefused */
function assertLength(path: string, { blockRecords }: SnapshotHeader): void {
  if (blockRecords * BigInt(BLOCK_IN_FILE) <= BigInt(statSync(path).size)) return;
  throw new SnapshotRefused(
    `${path} says that it holds ${blockRecords} blocks, and is too short for them - the file is corrupt`,
  );
}

/** Reads the whole file. @returns its payload's digest */
async function readAll(
  { path, signal, onProgress }: SnapshotImportOptions,
  zstd: Zstd,
  phase: ImportPhase,
  take: (record: SnapshotRecord) => void,
): Promise<Buffer> {
  const reader = new FrameReader(path, zstd);
  const total = Number(totalRecords(reader.header));
  try {
    let done = 0;
    const yielder = new EventLoopYielder(SLICE_MS);
    for (const records of reader.frames()) {
      for (const { key, value } of records) {
        take(decodeRecord(key, value));
        done++;
        if (!yielder.isDue) continue;
        onProgress?.(phase, done, total);
        await yielder.yieldIfDue(signal);
      }
    }
    return reader.payloadDigest;
  } finally {
    reader.close();
  }
}

async function write(options: SnapshotImportOptions, header: SnapshotHeader): Promise<void> {
  const { directory, tell } = options;
  const folder = join(directory, IMPORT_FOLDER);
  if (existsSync(folder)) {
    tell?.('An earlier import stopped part of the way through; what it left is removed.');
    rmSync(folder, { recursive: true });
  }
  tell?.('The snapshot is whole. Writing it now.');
  mkdirSync(folder);
  try {
    await build(options, header, folder);
    await syncFolder(folder);
    removeDatabaseFiles(directory);
    for (const suffix of ['-control', '']) {
      renameSync(`${databaseFile(folder)}${suffix}`, `${databaseFile(directory)}${suffix}`);
    }
    await syncFolder(directory);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  options.onProgress?.('done', Number(totalRecords(header)), Number(totalRecords(header)));
  tell?.(`This node now holds the chain below height ${header.liteHeight} and will sync the rest from the network.`);
}

async function build(options: SnapshotImportOptions, header: SnapshotHeader, folder: string): Promise<void> {
  const { network, liteHeight } = options;
  const db = openChainDb({ directory: folder, network, lite: liteHeight });
  try {
    db.writer?.append([genesisBlock(networkOf(network))]);
    const digest = await fill(options, header, db, folder);
    if (!digest.equals(header.digest)) throw changedMeanwhile();
  } finally {
    db.close();
  }
}

async function fill(
  options: SnapshotImportOptions,
  header: SnapshotHeader,
  { writer }: ChainDb,
  folder: string,
): Promise<Buffer> {
  if (writer === undefined) throw new TypeError('opened for reading');
  const rows = new RowImport(writer, header, folder);
  try {
    return await new Filling(options, header, rows).run(await loadZstd());
  } finally {
    rows.close();
  }
}

/** The second reading, in which rows are written. */
class Filling {
  private written = 0;
  private blocksWritten = false;

  constructor(
    private readonly options: SnapshotImportOptions,
    private readonly header: SnapshotHeader,
    private readonly rows: RowImport,
  ) {}

  async run(zstd: Zstd): Promise<Buffer> {
    const { path, signal } = this.options;
    const reader = new FrameReader(path, zstd);
    try {
      for (const records of reader.frames()) {
        for (const { key, value } of records) {
          for (const _ of this.take(decodeRecord(key, value))) await yieldToEventLoop(signal);
        }
        await yieldToEventLoop(signal);
      }
      for (const _ of this.end()) await yieldToEventLoop(signal);
      return reader.payloadDigest;
    } finally {
      reader.close();
    }
  }

  private *take(record: SnapshotRecord): Generator<void, void> {
    if (record.table === 'block') return this.rows.putBlock(record.block);
    if (record.table === 'image') return this.rows.putImage(record.image);
    yield* this.writeBlocks();
    yield* this.count('write', this.rows.putOutput(record.output));
  }

  private *end(): Generator<void, void> {
    yield* this.writeBlocks();
    yield* this.count('write', this.rows.endAmount());
  }

  private *writeBlocks(): Generator<void, void> {
    if (this.blocksWritten) return;
    this.blocksWritten = true;
    const total = Number(totalRecords(this.header));
    for (const done of this.rows.writeBlocks()) {
      this.written = done;
      this.options.onProgress?.('blocks', done, total);
      yield;
    }
  }

  private *count(phase: ImportPhase, work: Generator<number, void>): Generator<void, void> {
    for (const rows of work) {
      this.written += rows;
      this.options.onProgress?.(phase, this.written, Number(totalRecords(this.header)));
      yield;
    }
  }
}
