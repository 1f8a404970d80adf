import { openConnection, type SqliteConnectionOptions, type SqliteConnection, type SqliteSettings } from '@wrkz/sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { toChainDbError } from './open-errors';
import { APPLICATION_ID, PAGE_SIZE } from './schema';

const MIB = 1024 * 1024;

const SETTINGS: Partial<SqliteSettings> = {
  writerCache: 128 * MIB,
  readerCache: 32 * MIB,
  checkpointAt: 32 * MIB,
  walLimit: 64 * MIB,
  // No table refers to another one: which rows belong together is decided by the writer alone.
  foreignKeys: false,
  pageSize: PAGE_SIZE,
  // Pruning gives pages back to the file system in steps.
  autoVacuum: 'incremental',
};

/** What errors call the database, and the option that moves it. */
export const CHAIN_FILE = { title: 'chain database', option: '--data-dir' };

/** The database's own file inside its directory; beside it stand the write-ahead log and the lock. */
export function databaseFile(directory: string): string {
  return join(directory, 'chain.sqlite');
}

/** Bytes of the write-ahead log beside the database. */
export function logBytes(directory: string): number {
  return statSync(`${databaseFile(directory)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** What an operator may choose about memory and log; bytes. */
export type DatabaseMemory = Partial<Pick<SqliteSettings, 'readerCache' | 'checkpointAt' | 'walLimit'>>;

/** The chain database of a directory as packages/sqlite opens it. */
export function connectionOptions(
  directory: string,
  mode: 'read' | 'write',
  memory: DatabaseMemory = {},
): SqliteConnectionOptions & { readonly adoptCommand: string } {
  return {
    ...CHAIN_FILE,
    file: databaseFile(directory),
    adoptCommand: 'wrkz-daemon adopt',
    applicationId: APPLICATION_ID,
    mode,
    settings: { ...SETTINGS, ...memory },
  };
}

/**
 * One more reading connection to a database that was opened before.
 * @throws SqliteError as the library has it, NotAChainDatabase
 */
export function connectForReading(directory: string): SqliteConnection {
  try {
    return openConnection(connectionOptions(directory, 'read'));
  } catch (error) {
    throw toChainDbError(directory, error);
  }
}
