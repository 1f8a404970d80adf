import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkFiles, type FileCheck } from './check';
import { closeKeepingLog, isBlank, openConnection } from './connection';
import { controlFile } from './control-file';
import { FileInaccessible, FileMissing, FileVanished, openingError, SqliteFileError } from './errors';
import { failureText } from './failure';
import type { SqliteConnection } from './library';
import { followLinks, lockPlace, statOf, takeWriteLock, type WriteLock } from './lock';
import { logFile } from './log-scan';
import { assertVersion, schemaVersion } from './migration';
import { WriteSession, type SessionOptions } from './session';

/** Options to open a database. */
export interface DatabaseOptions extends SessionOptions {
  /** For writing: creates a missing file, in a folder that exists. Default: true. */
  readonly create?: boolean;
  /** Lock of the writer. Default: the name of the file, symbolic links followed, with `.lock` after it. */
  readonly lockFile?: string;
  /**
   * For reading in a process that has the database open already: skips the checks of the files. They would open and close the
   * file, and the system would then release all locks of this process on it.
   */
  readonly besideOwn?: boolean;
}

/** An open database. */
export class SqliteDatabase {
  private readonly readers: SqliteConnection[] = [];
  /** Device and inode of each file at the first check. */
  private readonly places = new Map<string, string>();

  constructor(
    private readonly options: DatabaseOptions,
    readonly connection: SqliteConnection,
    /** Whether the last writing session was closed cleanly. */
    readonly isCleanStop: boolean,
    private readonly session?: WriteSession,
    private readonly lock?: WriteLock,
  ) {
    this.compare(options.file);
    if (lock !== undefined) this.compare(lock.file);
  }

  /** Call it after each commit: the next open then refuses a log without that commit. @throws FileInaccessible */
  committed(): void {
    this.session?.committed();
  }

  /**
   * Call it after each failed commit: if only the sync failed, the log has the whole commit, which the next open would apply.
   * @throws FileInaccessible if it cannot be removed
   */
  dropFailedCommit(): void {
    this.session?.dropFailedCommit();
  }

  /**
   * Copies the write-ahead log into the file and truncates it, unless a reader uses it. Does not wait for readers.
   * @returns whether the log is empty now
   */
  cutLog(): boolean {
    return this.session?.cutLog() ?? false;
  }

  /**
   * Checks that the open files still exist under their names; takes some microseconds. Writes to removed or moved files succeed,
   * but all commits are lost when the process ends. Without the lock file another program can open the database for writing.
   * @throws FileVanished
   */
  checkInPlace(): void {
    this.compare(this.options.file);
    // SQLite creates the log with the first statement and keeps it while a connection is open.
    this.compare(logFile(this.options.file));
    if (this.lock !== undefined) this.compare(this.lock.file);
  }

  /** Also checks that folder and file can be written. @throws FileVanished */
  checkWritable(): void {
    this.checkInPlace();
    const { file } = this.options;
    try {
      for (const path of [dirname(file), file]) accessSync(path, constants.W_OK);
    } catch (error) {
      throw new FileVanished(this.options, file, `can no longer be written: ${failureText(error)}`, { cause: error });
    }
  }

  private compare(path: string): void {
    const stat = statOf(path);
    const place = stat && `${stat.dev} ${stat.ino}`;
    const first = this.places.get(path);
    if (first === undefined && place !== undefined) this.places.set(path, place);
    if (first === undefined || first === place) return;
    const what = place === undefined ? 'was removed or moved' : 'was replaced by another file';
    throw new FileVanished(this.options, path, what);
  }

  /** Opens an additional connection for reading, with separate snapshots. It is closed with the database. */
  openReader(): SqliteConnection {
    const reader = openConnection({ ...this.options, mode: 'read' });
    this.readers.push(reader);
    return reader;
  }

  /** Closes every connection, then releases the lock. Idempotent. @throws the last error of a connection */
  close(): void {
    const readers = this.readers.splice(0).map((reader) => () => void reader.close());
    runAll([...readers, () => (this.session ?? this.connection).close(), () => this.lock?.release()]);
  }
}

/** Runs every function, also after an error. @throws the last error */
function runAll([first, ...rest]: readonly (() => unknown)[]): void {
  try {
    first?.();
  } finally {
    if (rest.length > 0) runAll(rest);
  }
}

/**
 * Opens a database: takes its lock (for writing), asserts every setting, creates or upgrades its schema in one transaction. A
 * failed open changes no file; nor does an open for reading.
 *
 * @throws SqliteFileError; errors of `identify` and `onCreate`
 */
export function openDatabase(given: DatabaseOptions): SqliteDatabase {
  const options = { ...given, file: followLinks(given.file) };
  if (options.mode === 'read') return openForReading(options);
  return openForWriting(options, lockPlace(given.lockFile ?? `${options.file}.lock`, given));
}

/**
 * Adopts a copied or replaced database: checks every page and gives the database a new id.
 * @throws as `openDatabase`; NotOurFile for a damaged file, WrongLog for a log of another database
 */
export function adoptDatabase(options: Omit<DatabaseOptions, 'mode'>): void {
  openDatabase({ ...options, mode: 'write', create: false, adopt: true }).close();
}

function openForReading(options: DatabaseOptions): SqliteDatabase {
  const check = options.besideOwn === true ? undefined : checkBesideWriter(options);
  // A copy without a log is complete, so it may be read before it is adopted.
  if (check?.refusal !== undefined && existsSync(controlFile(options.file))) throw check.refusal;
  if (!existsSync(options.file)) throw new FileMissing(options);
  let connection: SqliteConnection | undefined;
  try {
    connection = openConnection(options);
    if (isBlank(connection)) throw new FileMissing(options);
    options.identify?.(connection);
    assertVersion(schemaVersion(connection), options);
    return new SqliteDatabase(options, connection, check?.isCleanStop ?? false);
  } catch (error) {
    connection?.close();
    throw openingError(options, error);
  }
}

const CHECK_ATTEMPTS = 5;
const CHECK_INTERVAL_MS = 20;

/** A writer may change the files during the check: a failed check is repeated. */
function checkBesideWriter(options: DatabaseOptions): FileCheck {
  for (let attempt = 1; ; attempt++) {
    try {
      const check = checkFiles(options);
      if (check.refusal === undefined || attempt === CHECK_ATTEMPTS) return check;
    } catch (error) {
      if (attempt === CHECK_ATTEMPTS || !(error instanceof SqliteFileError)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CHECK_INTERVAL_MS);
  }
}

function openForWriting(options: DatabaseOptions, lockFile: string): SqliteDatabase {
  // Without a lock file there is no writer. A refusal must not leave one.
  if (!existsSync(lockFile)) checkForWriting(options);
  const lock = takeWriteLock(lockFile, options);
  let close = (): void => undefined;
  try {
    const check = checkForWriting(options);
    const connection = openConnection(options);
    // Without a log SQLite deletes what it has created beside the file.
    close = () => (check.log === undefined ? void connection.close() : closeKeepingLog(connection));
    const session = new WriteSession(options, connection, check);
    return new SqliteDatabase(options, connection, check.isCleanStop, session, lock);
  } catch (error) {
    runAll([close, () => lock.release()]);
    throw openingError(options, error);
  }
}

/** @throws as `checkFiles`; FileMissing, NotAdopted; FileInaccessible for a file with more than one hard link */
function checkForWriting(options: DatabaseOptions): FileCheck {
  const stat = statOf(options.file);
  const links = stat?.isFile() === true ? stat.nlink : 1;
  // Another name of the file would have another lock and another log.
  const problem = `it has ${links} names (hard links). Remove the others, or copy it`;
  if (links > 1) throw new FileInaccessible(options, new Error(problem));
  const check = checkFiles(options);
  if (options.create === false && !existsSync(options.file)) throw new FileMissing(options);
  if (check.refusal !== undefined && options.adoptCommand !== undefined && options.adopt !== true) throw check.refusal;
  return check;
}
