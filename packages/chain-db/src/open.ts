import type { NetworkName } from '@wrkz/core-types';
import { makeFolders } from '@wrkz/service-kit/base';
import { openDatabase, type SqliteConnection, type SqliteDatabase } from '@wrkz/sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectionOptions, databaseFile, type DatabaseMemory } from './connection';
import { DatabaseMissing, DatabaseUnwritable, NotAChainDatabase, WrongNetwork } from './errors';
import type { HashIndexLimits } from './hash-index/hash-index';
import { readMeta, writeMeta } from './meta';
import { MIGRATIONS } from './migrations';
import { assertLiteHeight, checkLiteMark, markLite } from './modes/lite-mark';
import { checkLastBlocks } from './open-checks/last-blocks';
import { checkRecentHashes } from './open-checks/recent-hashes';
import { toChainDbError } from './open-errors';
import { ChainReader } from './reader/reader';
import { finishSwap } from './repair/swap';
import { type ChangeHooks, ChainWriter } from './writer/writer';

export interface OpenOptions {
  /** The folder that holds the database and nothing else's files of these names. */
  readonly directory: string;
  readonly network: NetworkName;
  /** No writer: any number of processes may read beside the one that writes. */
  readonly readonly?: boolean;
  /** Make the folder and the database where there is none. Default: true for writing; reading never does. */
  readonly create?: boolean;
  /**
   * The height of a lite node: a new database becomes one for good, another one must be one of this height. For reading it
   * may be left out.
   */
  readonly lite?: number | undefined;
  /**
   * For reading, in a process that has the database open already: the look at the log before is left out. It would open and
   * close the file, whereupon the system takes back the locks that the process holds on it, and other processes would no
   * longer know that somebody reads.
   */
  readonly besideOwn?: boolean | undefined;
  /** Where it differs from what suits most: how much is kept in memory, and how large the log grows. */
  readonly memory?: DatabaseMemory | undefined;
  /** How the hash look-ups are kept, for tests: any numbers read what any others wrote. */
  readonly hashIndex?: HashIndexLimits;
}

/** What an open for writing has met and done. */
export interface Opening {
  /** False when the last program that wrote was killed, or the machine lost power. */
  readonly cleanStop: boolean;
  /** Blocks below the tip that were looked at, because the last stop was none. */
  readonly checked: number;
  /** Damaged blocks off the main chain that were dropped, with those that stood on them. */
  readonly forgotten: number;
}

/** An open chain database. `writer` is there unless it was opened for reading. */
export class ChainDb {
  readonly reader: ChainReader;
  readonly opening: Opening;
  readonly writer: ChainWriter | undefined;

  constructor(
    readonly directory: string,
    readonly network: NetworkName,
    private readonly database: SqliteDatabase,
    mode: 'read' | 'write',
    hashIndex?: HashIndexLimits,
  ) {
    this.writer = mode === 'write' ? new ChainWriter(database.connection, this.hooks(), hashIndex) : undefined;
    this.reader = mode === 'write' ? this.openReader() : new ChainReader(database.connection);
    this.opening = this.writer === undefined ? { cleanStop: true, checked: 0, forgotten: 0 } : this.look(this.writer);
  }

  private look(writer: ChainWriter): Opening {
    const { connection, lastStop } = this.database;
    checkRecentHashes(connection, this.reader, writer.hashDirectory);
    const forgotten = writer.dropDamagedAlternatives();
    return { cleanStop: lastStop.clean, checked: lastStop.clean ? 0 : checkLastBlocks(this.reader), forgotten };
  }

  /** One more reading connection, for work that holds a snapshot while others go on; it is closed with the database. */
  openReader(): ChainReader {
    try {
      return new ChainReader(this.database.openReader(), () => this.writer?.hashDirectory);
    } catch (error) {
      throw toChainDbError(this.directory, error);
    }
  }

  /** Whether the files still stand where they were opened and can be written; costs some microseconds. @throws DatabaseVanished */
  checkInPlace(): void {
    this.named(() => this.database.checkWritable());
  }

  /** Whether the files still stand where they were opened, for who only reads them. @throws DatabaseVanished */
  checkStanding(): void {
    this.named(() => this.database.checkInPlace());
  }

  /**
   * Copies the write-ahead log back into the file and cuts it, unless a reader needs it; nobody waits.
   * @returns whether the log is empty now
   * @throws DatabaseUnwritable
   */
  cutLog(): boolean {
    try {
      return this.database.cutLog();
    } catch (error) {
      throw toChainDbError(this.directory, error);
    }
  }

  /** To be called after another process has written to the file for this one, as `rewriteChainDb` does. */
  rewritten(): void {
    this.named(() => this.database.committed());
  }

  private hooks(): ChangeHooks {
    return {
      before: () => this.named(() => this.database.checkInPlace()),
      committed: () => this.named(() => this.database.committed()),
    };
  }

  private named(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw toChainDbError(this.directory, error);
    }
  }

  /** Closes every connection, then lets go of the directory. Idempotent. */
  close(): void {
    this.database.close();
  }
}

/**
 * Opens the chain database of a network, finishes a repair that was cut short in its last step and asserts every setting.
 *
 * @throws RangeError for a lite height that is none; NotALiteDatabase, LiteDatabase, LiteHeightDiffers, UnreadableLiteMark;
 *   DatabaseLocked when another writer holds it, DatabaseMissing, DatabaseUnwritable, WrongNetwork, WrongSchema,
 *   NotAChainDatabase, IncompleteDatabase; CorruptDatabase where the hash look-ups do not know the newest rows, and after a
 *   stop that was not in order where the last blocks are not whole
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
      lockFile: join(directory, 'chain.lock'),
      markLog: true,
      besideOwn: options.besideOwn === true,
      create,
      migrations: MIGRATIONS,
      identify: (connection) => {
        assertNetwork(connection, directory, network);
        checkLiteMark(connection, options.lite, mode);
      },
      onCreate: (connection) => putMeta(connection, network, options.lite),
    });
    return new ChainDb(directory, network, database, mode, options.hashIndex);
  } catch (error) {
    database?.close();
    throw toChainDbError(directory, error);
  }
}

function prepareFolder(directory: string, create: boolean): void {
  if (!create && !existsSync(directory)) throw new DatabaseMissing(directory);
  try {
    makeFolders(directory);
  } catch (error) {
    throw new DatabaseUnwritable(directory, error);
  }
}

function putMeta(connection: SqliteConnection, network: NetworkName, lite: number | undefined): void {
  writeMeta(connection, 'network', network);
  writeMeta(connection, 'body_floor', '0');
  if (lite !== undefined) markLite(connection, lite);
}

/** @throws WrongNetwork, NotAChainDatabase */
export function assertNetwork(connection: SqliteConnection, directory: string, network: NetworkName): void {
  const found = readMeta(connection, 'network');
  if (found === undefined) throw new NotAChainDatabase(databaseFile(directory), 'it names no network');
  if (found !== network) throw new WrongNetwork(directory, found, network);
}
