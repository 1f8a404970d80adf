import { existsSync, realpathSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { checkpointAll, closeWriter, isBlank, openConnection, type SqliteConnectionOptions } from './connection';
import { FileCutShort, FileInaccessible, FileMissing, openingError, WrongLog } from './errors';
import { InPlace } from './in-place';
import type { SqliteConnection } from './library';
import { takeWriteLock, type WriteLock } from './lock';
import { checkLog, type LastStop } from './log-check';
import { LogMark } from './log-mark';
import { checkSchemaVersion, createSchema, upgradeSchema, type MigrateOptions } from './migrate';
import { assertNumbered } from './migration';

/**
 * What a program says about a database of its own. `title` is what errors call it ("event journal"), `applicationId` the
 * number by which its files are known; steps run in the order of `migrations`.
 */
export interface DatabaseOptions extends SqliteConnectionOptions, MigrateOptions {
  /** For writing: make the file where there is none, in a folder that exists. Default: true. */
  readonly create?: boolean;
  /** Held while open for writing. Default: the file's own name, symbolic links followed, with `.lock` after it. */
  readonly lockFile?: string;
  /**
   * Leave a mark while the write-ahead log is needed, so that a log which is lost or was exchanged is noticed at the next
   * open. Who asks for it calls {@link SqliteDatabase.committed} after each commit.
   */
  readonly markLog?: boolean;
  /** For reading: this process has the file open already, so that its log is not looked at once more. */
  readonly besideOwn?: boolean;
  /** Puts the first rows into a new file, in the transaction that makes its schema. */
  readonly onCreate?: (connection: SqliteConnection) => void;
  /** Looks whether a file that has a schema is the right one, before anything in it changes; it throws when it is not. */
  readonly identify?: (connection: SqliteConnection) => void;
}

/** An open database: the connection as asked for, and the lock when it is for writing. */
export class SqliteDatabase {
  private readonly readers: SqliteConnection[] = [];
  private readonly place: InPlace;

  constructor(
    private readonly options: SqliteConnectionOptions,
    readonly connection: SqliteConnection,
    /** How the session before ended. */
    readonly lastStop: LastStop,
    private readonly lock?: WriteLock,
    private mark?: LogMark,
  ) {
    this.place = new InPlace(options);
  }

  /** To be called after each commit of a database with `markLog`. @throws FileInaccessible */
  committed(): void {
    this.mark?.committed();
  }

  /**
   * Copies the write-ahead log back into the file and cuts it to nothing, unless a reader still needs it. Nobody waits for
   * anybody: readers go on, and where one holds the log it stays.
   * @returns whether the log is empty now
   */
  cutLog(): boolean {
    const cut = (): boolean => checkpointAll(this.connection);
    return this.mark === undefined ? cut() : this.mark.whileCut(cut);
  }

  /** Whether the files still stand where they were opened; costs some microseconds. @throws FileVanished */
  checkInPlace(): void {
    this.place.check();
  }

  /** The same, and whether they can still be written. @throws FileVanished */
  checkWritable(): void {
    this.place.checkWritable();
  }

  /** One more connection, for reading, with a snapshot of its own; it is closed with the database. */
  openReader(): SqliteConnection {
    const reader = openConnection({ ...this.options, mode: 'read' });
    this.readers.push(reader);
    return reader;
  }

  /** Closes every connection, then lets go of the lock. Idempotent. */
  close(): void {
    try {
      closeAll(this.readers);
    } finally {
      try {
        if (this.lock === undefined) this.connection.close();
        else this.closeWriter();
      } finally {
        this.lock?.release();
      }
    }
  }

  private closeWriter(): void {
    const { mark } = this;
    this.mark = undefined;
    if (this.connection.open) mark?.closing();
    closeWriter(this.connection);
    mark?.closed();
  }
}

/** @throws what the first one throws that is in the midst of a statement; the others are closed all the same */
function closeAll(connections: SqliteConnection[]): void {
  const reader = connections.pop();
  if (reader === undefined) return;
  try {
    reader.close();
  } finally {
    closeAll(connections);
  }
}

/**
 * Opens a database: takes its lock (for writing), asserts every setting, makes or upgrades its schema. A new file gets its
 * schema in one transaction. For reading nothing is made or changed.
 *
 * @throws FileLocked, NotALock, FileMissing, FileInaccessible, NotOurFile, WrongLog, FileCutShort, WrongSchemaVersion,
 *   SettingRefused, MigrationFailed; what `identify` and `onCreate` throw; the signal's reason
 */
export function openDatabase(options: DatabaseOptions): SqliteDatabase {
  const steps = opening(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same for an upgrade that may take long: between its batches the event loop gets its turn, and a signal is heard. */
export async function openDatabaseAsync(options: DatabaseOptions): Promise<SqliteDatabase> {
  const steps = opening(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

function* opening(options: DatabaseOptions): Generator<void, SqliteDatabase> {
  assertNumbered(options.migrations);
  return options.mode === 'read' ? openForReading(options) : yield* openForWriting(options);
}

function openForReading(options: DatabaseOptions): SqliteDatabase {
  const lastStop = options.besideOwn === true ? { clean: false } : checkedBeside(options);
  if (!existsSync(options.file)) throw new FileMissing(options);
  let connection: SqliteConnection | undefined;
  try {
    connection = openConnection(options);
    if (isBlank(connection)) throw new FileMissing(options);
    options.identify?.(connection);
    checkSchemaVersion(connection, options, 'read');
    return new SqliteDatabase(options, connection, lastStop);
  } catch (error) {
    connection?.close();
    throw openingError(options, error);
  }
}

/** Milliseconds until a reader looks again at files that seemed not to fit together. */
const LOOK_AGAIN = 20;
const LOOKS = 5;

/** The check for a reader, beside whom a writer may be at work: what does not fit is looked at again. */
function checkedBeside(options: DatabaseOptions): LastStop {
  for (let look = 1; ; look++) {
    try {
      return checkLog(options, options.markLog === true);
    } catch (error) {
      if (look === LOOKS || !(error instanceof WrongLog || error instanceof FileCutShort)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN);
    }
  }
}

function* openForWriting(options: DatabaseOptions): Generator<void, SqliteDatabase> {
  const { markLog = false } = options;
  if (options.create === false && !existsSync(options.file) && !existsSync(`${options.file}-wal`)) {
    throw new FileMissing(options);
  }
  refuseHardLinks(options);
  const lock = takeWriteLock(options.lockFile ?? `${followed(options.file)}.lock`, options);
  let connection: SqliteConnection | undefined;
  const mark = markLog ? new LogMark(options) : undefined;
  try {
    const lastStop = checkLog(options, markLog);
    if (options.create === false && !existsSync(options.file)) throw new FileMissing(options);
    mark?.forgetUnlessLog();
    connection = openConnection(options);
    yield* prepare(connection, options, () => mark?.committed());
    return new SqliteDatabase(options, connection, lastStop, lock, mark);
  } catch (error) {
    if (connection !== undefined) {
      // Closing copies the log back, where one was left.
      mark?.closing();
      connection.close();
      mark?.closed();
    }
    lock.release();
    throw openingError(options, error);
  }
}

/** One file has one lock, by whichever symbolic link it is reached. */
function followed(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Under another name of the same file another writer would have another lock, and SQLite another log. */
function refuseHardLinks(options: DatabaseOptions): void {
  const links = existsSync(options.file) ? statSync(options.file).nlink : 1;
  if (links === 1) return;
  throw new FileInaccessible(options, new Error(`it has ${links} names (hard links). Remove the others, or copy it`));
}

function* prepare(
  connection: SqliteConnection,
  options: DatabaseOptions,
  committed: () => void,
): Generator<void, void> {
  if (isBlank(connection)) {
    connection.transaction(() => create(connection, options)).immediate();
    committed();
    return;
  }
  // As a writer, so that a file which can only be read is refused now and not by the first commit.
  connection
    .transaction(() => {
      options.identify?.(connection);
      checkSchemaVersion(connection, options, 'write');
    })
    .immediate();
  yield* upgradeSchema(connection, options, committed);
}

function create(connection: SqliteConnection, options: DatabaseOptions): void {
  connection.pragma(`application_id = ${options.applicationId}`);
  createSchema(connection, options);
  options.onCreate?.(connection);
}
