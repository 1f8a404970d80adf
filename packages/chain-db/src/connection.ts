import {
  type FileName,
  type Migration,
  openConnection,
  type SqliteConnection,
  type SqliteConnectionOptions,
  type SqliteSettings,
  takeWriteLock,
  type WriteLock,
} from '@wrkz/sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { APPLICATION_ID, MIGRATIONS, PAGE_SIZE } from './schema';

const MIB = 1024 * 1024;

const SETTINGS: Partial<SqliteSettings> = {
  writerCache: 128 * MIB,
  readerCache: 32 * MIB,
  checkpointAt: 32 * MIB,
  walLimit: 64 * MIB,
  // There are no foreign keys: the writer keeps tables consistent.
  foreignKeys: false,
  pageSize: PAGE_SIZE,
  // Free pages are returned to the file system in steps.
  autoVacuum: 'incremental',
};

/** File name of the database. Write-ahead log, control file and lock are beside it. */
export function databaseFile(directory: string): string {
  return join(directory, 'chain.sqlite');
}

/** Name of the database in errors, and the option that moves it. */
export const CHAIN_FILE = { title: 'chain database', option: '--data-dir' };

export function chainFile(directory: string): FileName {
  return { ...CHAIN_FILE, file: databaseFile(directory) };
}

function lockFile(directory: string): string {
  return join(directory, 'chain.lock');
}

/** Locks the database of a directory for a writer. @throws FileLocked, FileInaccessible */
export function lockChain(directory: string): WriteLock {
  return takeWriteLock(lockFile(directory), chainFile(directory));
}

/** Size of the write-ahead log in bytes. */
export function logBytes(directory: string): number {
  return statSync(`${databaseFile(directory)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Memory and log settings in bytes. */
export type DatabaseMemory = Partial<Pick<SqliteSettings, 'readerCache' | 'checkpointAt' | 'walLimit'>>;

/** Options of packages/sqlite for the chain database of a directory. */
export function connectionOptions(
  directory: string,
  mode: 'read' | 'write',
  memory: DatabaseMemory = {},
): SqliteConnectionOptions & {
  readonly adoptCommand: string;
  readonly lockFile: string;
  readonly migrations: readonly Migration[];
} {
  return {
    ...chainFile(directory),
    lockFile: lockFile(directory),
    migrations: MIGRATIONS,
    adoptCommand: 'wrkz-daemon adopt',
    applicationId: APPLICATION_ID,
    mode,
    settings: { ...SETTINGS, ...memory },
  };
}

/** Opens another connection for reading to a database that is open. @throws SqliteError of the library, NotOurFile */
export function connectForReading(directory: string): SqliteConnection {
  return openConnection(connectionOptions(directory, 'read'));
}
