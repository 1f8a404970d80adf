import type { NetworkName } from '@wrkz/core-types';
import { makeFolders } from '@wrkz/service-kit/base';
import {
  accessError,
  FileMissing,
  NotOurFile,
  openDatabase,
  type SqliteConnection,
  type SqliteDatabase,
} from '@wrkz/sqlite';
import { existsSync } from 'node:fs';
import { chainFile, connectionOptions, type DatabaseMemory } from './connection';
import { WrongNetwork } from './errors';
import type { HashIndexLimits } from './hash-index/hash-index';
import { assertLiteHeight, checkLiteMark, markLite, readMeta, writeMeta } from './modes/floors';
import { checkLastBlocks } from './last-blocks';
import { ChainReader } from './reader/reader';
import { finishSwap } from './repair/swap';
import { type ChangeHooks, ChainWriter } from './writer/writer';

export interface OpenOptions {
  /** The folder of the database. */
  readonly directory: string;
  readonly network: NetworkName;
  /** Open without a writer: any number of processes may read while one writes. */
  readonly readonly?: boolean;
  /** Create folder and database if missing. Default: true for writing; ignored for reading. */
  readonly create?: boolean;
  /**
   * Height of a lite node: a new database becomes lite permanently, an existing one must have this height. Optional for reading.
   */
  readonly lite?: number | undefined;
  /**
   * For reading, in a process that already has the database open: skips the check of the log. The check opens and closes the
   * file, and a close releases all POSIX locks of the process on that file.
   */
  readonly besideOwn?: boolean | undefined;
  /** Size of caches and log, if not the default. */
  readonly memory?: DatabaseMemory | undefined;
  /**
   * One element in shared memory that counts the commits of the writer. A reader of the same process that has it notices commits
   * without a system call. See `commitCounter`.
   */
  readonly commits?: Int32Array | undefined;
  /** Parameters of the LSM index, for tests. They do not change the format. */
  readonly hashIndex?: HashIndexLimits;
}

/** Result of an open for writing. */
export interface Opening {
  /** False after a kill or a power cut. */
  readonly cleanStop: boolean;
  /** Number of blocks below the tip that were checked after a kill. */
  readonly checked: number;
}

/** An open chain database. There is no `writer` if it was opened for reading. */
export class ChainDb {
  readonly reader: ChainReader;
  readonly opening: Opening;
  readonly writer: ChainWriter | undefined;

  constructor(
    readonly directory: string,
    readonly network: NetworkName,
    private readonly database: SqliteDatabase,
    mode: 'read' | 'write',
    private readonly options: Pick<OpenOptions, 'commits' | 'hashIndex'>,
  ) {
    const { commits, hashIndex } = options;
    this.writer = mode === 'write' ? new ChainWriter(database.connection, this.hooks(), hashIndex) : undefined;
    this.reader = mode === 'write' ? this.openReader() : new ChainReader(database.connection, { commits });
    this.opening = this.writer === undefined ? { cleanStop: true, checked: 0 } : this.checkAfterStop();
  }

  private checkAfterStop(): Opening {
    const { isCleanStop } = this.database;
    return { cleanStop: isCleanStop, checked: isCleanStop ? 0 : checkLastBlocks(this.reader) };
  }

  /** Another connection for reading, for work that holds a snapshot. It is closed with the database. */
  openReader(): ChainReader {
    return new ChainReader(this.database.openReader(), { directory: () => this.writer?.hashDirectory });
  }

  /** Checks that the files were not moved or replaced and are writable; takes some microseconds. @throws FileVanished */
  checkInPlace(): void {
    this.database.checkWritable();
  }

  /** The same check for a reader. @throws FileVanished */
  checkStanding(): void {
    this.database.checkInPlace();
  }

  /**
   * Checkpoints and truncates the write-ahead log unless a reader uses it. Does not wait for readers.
   * @returns whether the log is empty now
   * @throws FileInaccessible
   */
  cutLog(): boolean {
    return this.database.cutLog();
  }

  private hooks(): ChangeHooks {
    return {
      before: () => this.database.checkInPlace(),
      committed: () => {
        if (this.options.commits !== undefined) Atomics.add(this.options.commits, 0, 1);
        this.database.committed();
      },
    };
  }

  /** Closes all connections, then releases the lock. Idempotent. */
  close(): void {
    this.database.close();
  }
}

/**
 * Opens the chain database of a network. Finishes a repair that was interrupted in its last step.
 *
 * @throws RangeError for an invalid lite height; NotALiteDatabase, LiteDatabase, LiteHeightDiffers, UnreadableLiteMark;
 *   FileLocked while another process writes, FileMissing, FileInaccessible, WrongNetwork, WrongSchemaVersion, MigrationFailed,
 *   NotOurFile, IncompleteFiles; CorruptDatabase if the LSM index lacks the newest rows, or if the last blocks are incomplete
 *   after a kill
 */
export function openChainDb(options: OpenOptions): ChainDb {
  const { directory, network } = options;
  const mode = options.readonly === true ? 'read' : 'write';
  assertLiteHeight(options.lite);
  finishSwap(directory);
  const create = options.create ?? true;
  if (mode === 'write') prepareFolder(directory, create);
  let database: SqliteDatabase | undefined;
  try {
    database = openDatabase({
      ...connectionOptions(directory, mode, options.memory),
      besideOwn: options.besideOwn === true,
      create,
      identify: (connection) => {
        assertNetwork(connection, directory, network);
        checkLiteMark(connection, options.lite, mode);
      },
      onCreate: (connection) => putMeta(connection, network, options.lite),
    });
    return new ChainDb(directory, network, database, mode, options);
  } catch (error) {
    database?.close();
    throw error;
  }
}

/** A counter for the `commits` of a writer and of readers on other threads of the process. */
export function commitCounter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

function prepareFolder(directory: string, create: boolean): void {
  if (!create && !existsSync(directory)) throw new FileMissing(chainFile(directory));
  try {
    makeFolders(directory);
  } catch (error) {
    throw accessError(chainFile(directory), error);
  }
}

function putMeta(connection: SqliteConnection, network: NetworkName, lite: number | undefined): void {
  writeMeta(connection, 'network', network);
  writeMeta(connection, 'body_floor', '0');
  if (lite !== undefined) markLite(connection, lite);
}

/** @throws WrongNetwork, NotOurFile */
function assertNetwork(connection: SqliteConnection, directory: string, network: NetworkName): void {
  const found = readMeta(connection, 'network');
  if (found === undefined) throw new NotOurFile(chainFile(directory), 'it names no network');
  if (found !== network) throw new WrongNetwork(directory, found, network);
}
