import type { NetworkName } from '@wrkz/core-types';
import { makeFolders } from '@wrkz/service-kit';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connect, isBlank, type Connection } from './connection';
import { DatabaseMissing, DatabaseUnwritable, NotAChainDatabase, WrongNetwork, WrongSchema } from './errors';
import { takeWriteLock, type WriteLock } from './lock';
import { migrate } from './migrations';
import { ChainReader } from './reader/reader';
import { APPLICATION_ID, SCHEMA_VERSION } from './schema';
import { sqliteFailure } from './sqlite-error';
import { ChainWriter } from './writer/writer';

export interface OpenOptions {
  /** The folder that holds the database and nothing else's files of these names. */
  readonly directory: string;
  readonly network: NetworkName;
  /** No writer: any number of processes may read beside the one that writes. */
  readonly readonly?: boolean;
  /** Make the folder and the database where there is none. Default: true for writing; reading never does. */
  readonly create?: boolean;
}

/** An open chain database. `writer` is there unless it was opened for reading. */
export class ChainDb {
  private readonly readers: ChainReader[] = [];
  readonly reader: ChainReader;

  constructor(
    readonly directory: string,
    readonly network: NetworkName,
    readonly writer: ChainWriter | undefined,
    private readonly lock: WriteLock | undefined,
  ) {
    this.reader = this.openReader();
  }

  /** One more reading connection, for work that keeps a snapshot while others go on; it is closed with the database. */
  openReader(): ChainReader {
    const reader = new ChainReader(connect(databaseFile(this.directory), 'read'));
    this.readers.push(reader);
    return reader;
  }

  /** Closes every connection, then lets go of the directory. Idempotent. */
  close(): void {
    for (const reader of this.readers.splice(0)) reader.close();
    try {
      this.writer?.close();
    } finally {
      this.lock?.release();
    }
  }
}

/** The database's own file inside its directory; beside it stand the write-ahead log and the lock. */
export function databaseFile(directory: string): string {
  return join(directory, 'chain.sqlite');
}

/**
 * Opens the chain database of a network, brings an older schema up to date (writing only) and asserts every setting.
 *
 * @throws DatabaseLocked when another writer holds it, DatabaseMissing, DatabaseUnwritable, WrongNetwork, WrongSchema,
 *   NotAChainDatabase
 */
export function openChainDb(options: OpenOptions): ChainDb {
  return options.readonly === true ? openForReading(options) : openForWriting(options);
}

function openForReading({ directory, network }: OpenOptions): ChainDb {
  const file = databaseFile(directory);
  if (!existsSync(file)) throw new DatabaseMissing(directory);
  const connection = told(directory, () => connect(file, 'read'));
  try {
    if (isBlank(connection)) throw new DatabaseMissing(directory);
    const version = told(directory, () => identify(connection, directory, network));
    if (version !== SCHEMA_VERSION) throw new WrongSchema(directory, version, SCHEMA_VERSION);
  } finally {
    connection.close();
  }
  return new ChainDb(directory, network, undefined, undefined);
}

function openForWriting({ directory, network, create = true }: OpenOptions): ChainDb {
  const file = databaseFile(directory);
  if (!create && !existsSync(file)) throw new DatabaseMissing(directory);
  try {
    makeFolders(directory);
  } catch (error) {
    throw new DatabaseUnwritable(directory, error);
  }
  const lock = takeWriteLock(directory);
  let connection: Connection | undefined;
  try {
    const open = (connection = told(directory, () => connect(file, 'write')));
    told(directory, () => open.transaction(() => prepare(open, directory, network)).immediate());
    return new ChainDb(directory, network, new ChainWriter(open), lock);
  } catch (error) {
    connection?.close();
    lock.release();
    throw error;
  }
}

/** Makes the schema in an empty file, or checks the marks and brings the schema up to date. */
function prepare(connection: Connection, directory: string, network: NetworkName): void {
  if (isBlank(connection)) {
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    migrate(connection, 0);
    connection.prepare("INSERT INTO meta (key, value) VALUES ('network', ?), ('body_floor', '0')").run(network);
    return;
  }
  const version = identify(connection, directory, network);
  if (version > SCHEMA_VERSION) throw new WrongSchema(directory, version, SCHEMA_VERSION);
  migrate(connection, version);
}

/** Checks that the database is this network's. @returns its schema version */
function identify(connection: Connection, directory: string, network: NetworkName): number {
  const row = connection.prepare<[], [string]>("SELECT value FROM meta WHERE key = 'network'").raw(true).get();
  if (row === undefined) throw new NotAChainDatabase(databaseFile(directory), 'it names no network');
  if (row[0] !== network) throw new WrongNetwork(directory, row[0], network);
  return Number(connection.pragma('user_version', { simple: true }));
}

/** Turns SQLite's errors on opening into this package's. */
function told<T>(directory: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const failure = sqliteFailure(error);
    if (failure === undefined) throw error;
    if (/^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(failure.code)) {
      throw new NotAChainDatabase(databaseFile(directory), failure.message, { cause: error });
    }
    throw new DatabaseUnwritable(directory, error);
  }
}
