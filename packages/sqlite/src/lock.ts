import { FileInaccessible, FileLocked, NotALock, type FileName } from './errors';
import { isDamage, sqliteFailure } from './failure';
import { SqliteConnection } from './library';

/** Held while a database is open for writing. */
export interface WriteLock {
  release(): void;
}

/**
 * Takes a database for one writer. The lock is the operating system's, on a tiny file beside the database that is itself
 * an SQLite database with an exclusive transaction left open: it ends with the process, however that ends, so there is
 * nothing stale to clean up, and readers of the database never meet it.
 *
 * @param lockFile made if need be, in a folder that exists
 * @param name the database that it stands for, as errors call it
 * @throws FileLocked, NotALock, FileInaccessible
 */
export function takeWriteLock(lockFile: string, name: FileName): WriteLock {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(lockFile, { timeout: 0 });
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    const held = connection;
    return { release: () => void held.close() };
  } catch (error) {
    connection?.close();
    const code = sqliteFailure(error)?.code ?? '';
    if (code.startsWith('SQLITE_BUSY')) throw new FileLocked(name);
    if (isDamage(error)) throw new NotALock(name, lockFile);
    throw new FileInaccessible(name, error);
  }
}
