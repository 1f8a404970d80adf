import { SqliteConnection } from '@wrkz/sqlite';
import { join } from 'node:path';
import { DatabaseLocked, DatabaseUnwritable } from './errors';
import { sqliteFailure } from './sqlite-error';

/** Held while a directory is open for writing. */
export interface WriteLock {
  release(): void;
}

/**
 * Takes the directory for one writer. The lock is the operating system's, on a tiny file that is itself an SQLite
 * database with an exclusive transaction left open: it ends with the process, however that ends, so there is nothing
 * stale to clean up, and readers of the chain database never meet it.
 * @throws DatabaseLocked, DatabaseUnwritable
 */
export function takeWriteLock(directory: string): WriteLock {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(join(directory, 'chain.lock'), { timeout: 0 });
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    const held = connection;
    return { release: () => void held.close() };
  } catch (error) {
    connection?.close();
    if (sqliteFailure(error)?.code.startsWith('SQLITE_BUSY') === true) throw new DatabaseLocked(directory);
    throw new DatabaseUnwritable(directory, error);
  }
}
