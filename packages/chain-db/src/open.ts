import type { NetworkName } from '@wrkz/core-types';
import { makeFolders } from '@wrkz/service-kit';
import { openDatabase, type MigrationProgress, type SqliteConnection, type SqliteDatabase } from '@wrkz/sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectionOptions, databaseFile } from './connection';
import { DatabaseMissing, DatabaseUnwritable, NotAChainDatabase, WrongNetwork } from './errors';
import type { HashIndexLimits } from './hash-index/hash-index';
import { layOutForPruning } from './layout';
import { readMeta, writeMeta } from './meta';
import { MIGRATIONS } from './migrations';
import { toChainDbError } from './open-errors';
import { ChainReader } from './reader/reader';
import { ChainWriter } from './writer/writer';

export interface OpenOptions {
  /** The folder that holds the database and nothing else's files of these names. */
  readonly directory: string;
  readonly network: NetworkName;
  /** No writer: any number of processes may read beside the one that writes. */
  readonly readonly?: boolean;
  /** Make the folder and the database where there is none. Default: true for writing; reading never does. */
  readonly create?: boolean;
  /** Called after each step of bringing an older schema up to date, in blocks; the last call comes before the new layout. */
  readonly onProgress?: (progress: MigrationProgress) => void;
  /** How the hash look-ups are kept, for tests: any numbers read what any others wrote. */
  readonly hashIndex?: HashIndexLimits;
}

/** An open chain database. `writer` is there unless it was opened for reading. */
export class ChainDb {
  readonly reader: ChainReader;
  readonly writer: ChainWriter | undefined;

  constructor(
    readonly directory: string,
    readonly network: NetworkName,
    private readonly database: SqliteDatabase,
    mode: 'read' | 'write',
    hashIndex?: HashIndexLimits,
  ) {
    this.writer = mode === 'write' ? new ChainWriter(database.connection, hashIndex) : undefined;
    this.reader = mode === 'write' ? this.openReader() : new ChainReader(database.connection);
  }

  /** One more reading connection, for work that holds a snapshot while others go on; it is closed with the database. */
  openReader(): ChainReader {
    try {
      return new ChainReader(this.database.openReader(), () => this.writer?.hashDirectory);
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
 * Opens the chain database of a network, brings an older schema up to date (writing only) and asserts every setting.
 *
 * @throws DatabaseLocked when another writer holds it, DatabaseMissing, DatabaseUnwritable, WrongNetwork, WrongSchema,
 *   NotAChainDatabase
 */
export function openChainDb(options: OpenOptions): ChainDb {
  const { directory, network } = options;
  const mode = options.readonly === true ? 'read' : 'write';
  const create = options.create ?? true;
  if (mode === 'write') prepareFolder(directory, create);
  let database: SqliteDatabase | undefined;
  try {
    database = openDatabase({
      ...connectionOptions(directory, mode),
      lockFile: join(directory, 'chain.lock'),
      create,
      migrations: MIGRATIONS,
      identify: (connection) => identify(connection, directory, network),
      onCreate: (connection) => putMeta(connection, network),
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    });
    if (mode === 'write') layOutForPruning(database.connection);
    const db = new ChainDb(directory, network, database, mode, options.hashIndex);
    db.writer?.dropDamagedAlternatives();
    return db;
  } catch (error) {
    database?.close();
    throw toChainDbError(directory, error);
  }
}

function prepareFolder(directory: string, create: boolean): void {
  if (!create && !existsSync(databaseFile(directory))) throw new DatabaseMissing(directory);
  try {
    makeFolders(directory);
  } catch (error) {
    throw new DatabaseUnwritable(directory, error);
  }
}

function putMeta(connection: SqliteConnection, network: NetworkName): void {
  writeMeta(connection, 'network', network);
  writeMeta(connection, 'body_floor', '0');
  // Pages that the older schemas left in the new file.
  connection.exec('PRAGMA incremental_vacuum');
}

/** Checks that the database is this network's. */
function identify(connection: SqliteConnection, directory: string, network: NetworkName): void {
  const found = readMeta(connection, 'network');
  if (found === undefined) throw new NotAChainDatabase(databaseFile(directory), 'it names no network');
  if (found !== network) throw new WrongNetwork(directory, found, network);
}
