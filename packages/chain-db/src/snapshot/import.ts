import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { genesisBlock } from '@wrkz/consensus';
import { networkOf, type NetworkName } from '@wrkz/core-types';
import { EventLoopYielder, makeFolders, syncFolder, yieldToEventLoop } from '@wrkz/service-kit/base';
import { databaseFile, lockChain } from '../connection';
import { SnapshotRefused } from '../errors';
import { openChainDb } from '../open';
import { assertNetwork, removeDatabaseFiles } from '../remove';
import { finishSwap } from '../repair/swap';
import { SnapshotAudit } from './audit';
import { FrameReader } from './frames';
import { isAcceptedSnapshot, readSnapshotHeader, type SnapshotHeader, totalRecords } from './header';
import { RowImport, snapshotChanged } from './import-rows';
import { decodeRecord, type SnapshotRecord } from './records';
import { loadZstd } from './zstd';

export type ImportPhase = 'verify' | 'blocks' | 'write' | 'done';

export interface SnapshotImportOptions {
  readonly path: string;
  /** The folder of the database. It may hold no database, or one that holds genesis only. */
  readonly directory: string;
  readonly network: NetworkName;
  readonly liteHeight: number;
  /** Accepted digests in hex besides the built-in ones. */
  readonly accepted?: readonly string[];
  readonly checkpoint?: (height: number) => Buffer | undefined;
  /** Checks the file and writes nothing. */
  readonly dryRun?: boolean;
  /** Replaces any chain of this network in the folder, after the new database is complete. */
  readonly replaces?: boolean;
  readonly signal?: AbortSignal;
  /** Records processed in this phase, and all records of the file. */
  readonly onProgress?: (phase: ImportPhase, done: number, total: number) => void;
  /** Receives lines for the operator. */
  readonly report?: (line: string) => void;
}

/** Folder inside the database's folder, for a database that is not complete yet. */
const WORK_FOLDER = 'snapshot-import';

/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;

/** Min bytes of a block in the file: its hash, which does not compress. */
const MIN_BLOCK_BYTES = 32;

/**
 * Builds the database of a lite node from a snapshot. The first pass audits the whole file, the second writes a new database in a
 * work folder, which then replaces the old one. A kill at any moment leaves the old database, none, or the new one.
 *
 * @returns the header
 * @throws SnapshotRefused, NotALiteDatabase, LiteHeightDiffers, FileLocked, FileInaccessible; the signal's reason
 */
export async function importSnapshot(options: SnapshotImportOptions): Promise<SnapshotHeader> {
  const { directory, path, dryRun = false, replaces = false } = options;
  const header = readSnapshotHeader(path);
  if (dryRun && !existsSync(directory)) {
    await audit(options, header);
    return header;
  }
  makeFolders(directory);
  // Otherwise the next start would replace the imported database with the repaired one.
  finishSwap(directory);
  const lock = lockChain(directory);
  try {
    if (replaces) assertNetwork(directory, options.network);
    else assertEmpty(options);
    await audit(options, header);
    if (!dryRun) await write(options, header);
    return header;
  } finally {
    lock.release();
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

/** The first pass. @throws SnapshotRefused */
async function audit(options: SnapshotImportOptions, header: SnapshotHeader): Promise<void> {
  assertHeader(options, header);
  const { path, network, checkpoint = () => undefined, report, onProgress } = options;
  const total = totalRecords(header);
  report?.(`Importing a lite node snapshot at height ${header.liteHeight} from ${path}`);
  report?.(`Records: ${total}, digest ${header.digest.toString('hex')}`);
  report?.('Checking the snapshot before writing any of it...');
  // The audit allocates memory for this number of blocks, so the number must be plausible.
  if (header.blockRecords * BigInt(MIN_BLOCK_BYTES) > BigInt(statSync(path).size)) {
    throw new SnapshotRefused(
      `${path} claims ${header.blockRecords} blocks, and is too short for them - the file is corrupt`,
    );
  }
  const checks = new SnapshotAudit({ header, network, checkpoint });
  const digest = await readRecords(
    options,
    (record) => checks.add(record),
    (done) => onProgress?.('verify', done, Number(total)),
  );
  checks.finish(digest);
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
  throw new SnapshotRefused(
    `This build does not recognise that snapshot. Its digest is ${header.digest.toString('hex')} at height ` +
      `${header.liteHeight}, and no digest for that height is compiled into this daemon. ` +
      'A snapshot cannot be verified without the blocks that it leaves out, so an import trusts the author of the file. If you ' +
      'have this digest from a source you trust, name it with --accept-snapshot-digest. Otherwise use a published snapshot, ' +
      'or synchronize from the network.',
  );
}

/**
 * Reads the whole file.
 * @param use may return a promise if it cannot take the next record yet
 * @param onSlice receives the number of records so far, before each yield to the event loop
 * @returns the digest of the payload
 */
async function readRecords(
  { path, signal }: SnapshotImportOptions,
  use: (record: SnapshotRecord) => Promise<void> | void,
  onSlice?: (done: number) => void,
): Promise<Buffer> {
  const reader = new FrameReader(path, await loadZstd());
  try {
    signal?.throwIfAborted();
    const yielder = new EventLoopYielder(SLICE_MS);
    let done = 0;
    for (const records of reader.frames()) {
      for (const { key, value } of records) {
        const pending = use(decodeRecord(key, value));
        if (pending !== undefined) await pending;
        done++;
        if (!yielder.isDue) continue;
        onSlice?.(done);
        await yielder.yieldIfDue(signal);
      }
    }
    return reader.payloadDigest;
  } finally {
    reader.close();
  }
}

/** The second pass, and the replacement of the database. */
async function write(options: SnapshotImportOptions, header: SnapshotHeader): Promise<void> {
  const { directory, report, onProgress } = options;
  const folder = join(directory, WORK_FOLDER);
  if (existsSync(folder)) {
    report?.('An earlier import stopped part of the way through; what it left is removed.');
    rmSync(folder, { recursive: true });
  }
  report?.('The snapshot is whole. Writing it now.');
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
  const total = Number(totalRecords(header));
  onProgress?.('done', total, total);
  report?.(`This node now holds the chain below height ${header.liteHeight} and will sync the rest from the network.`);
}

async function build(options: SnapshotImportOptions, header: SnapshotHeader, folder: string): Promise<void> {
  const { network, liteHeight, signal, onProgress } = options;
  const total = Number(totalRecords(header));
  const db = openChainDb({ directory: folder, network, lite: liteHeight });
  try {
    const { writer } = db;
    if (writer === undefined) throw new TypeError('the new database is open for reading only');
    writer.append([genesisBlock(networkOf(network))]);
    const afterStep = async (phase: ImportPhase, rows: number): Promise<void> => {
      onProgress?.(phase, rows, total);
      await yieldToEventLoop(signal);
    };
    const rows = new RowImport({ writer, header, folder, afterStep });
    try {
      const digest = await readRecords(options, (record) => rows.add(record));
      await rows.finish();
      if (!digest.equals(header.digest)) throw snapshotChanged();
    } finally {
      rows.close();
    }
  } finally {
    db.close();
  }
}
