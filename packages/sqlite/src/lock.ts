import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { accessError, FileInaccessible, FileLocked, type FileName } from './errors';
import { failureCode, isDamage } from './failure';
import { SqliteConnection } from './library';

/** Held while a database is open for writing. */
export interface WriteLock {
  /** If this file is removed, another program can take the lock, too. */
  readonly file: string;
  release(): void;
}

const MAX_LINKS = 40;

/** The file that symbolic links lead to, also if it does not exist yet. SQLite creates the log beside that file. */
export function followLinks(file: string): string {
  let target = file;
  for (let links = 0; links < MAX_LINKS && statOf(target)?.isSymbolicLink() === true; links++) {
    target = resolve(dirname(target), readlinkSync(target));
  }
  return target;
}

/** Undefined if the file does not exist. A symbolic link that leads nowhere does exist. */
export function statOf(file: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

/** Whether the path exists and leads to no regular file. */
function isIrregular(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === false;
  } catch (error) {
    return failureCode(error) === 'ELOOP';
  }
}

/** The path of the lock file: beside the file that a symbolic link leads to, so that one file has one lock. */
export function lockPlace(lockFile: string, { file }: FileName): string {
  return dirname(lockFile) === dirname(file) ? join(dirname(followLinks(file)), basename(lockFile)) : lockFile;
}

/**
 * Locks a database for one writer. The lock is the operating system's, on a small SQLite file with an open exclusive
 * transaction: it ends with the process, needs no cleanup, and does not affect readers of the database.
 *
 * @param lockFile created if missing, in a folder that exists @param name the database, for errors
 * @throws FileLocked, FileInaccessible
 */
export function takeWriteLock(lockFile: string, name: FileName): WriteLock {
  const place = lockPlace(lockFile, name);
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(place, { timeout: 0 });
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    const held = connection;
    return { file: place, release: () => void held.close() };
  } catch (error) {
    connection?.close();
    if (failureCode(error).startsWith('SQLITE_BUSY')) {
      throw new FileLocked(name, `the ${name.title} ${name.file} is in use by another running program`);
    }
    if (!isDamage(error) && !isIrregular(place)) throw accessError(name, error);
    const what = `${place} is not a lock file. Remove it while no program uses the ${name.title}`;
    throw new FileInaccessible(name, new Error(what));
  }
}
