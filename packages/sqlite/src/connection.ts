import { FileInaccessible, NotOurFile, type FileName } from './errors';
import { lastPageFailure, SqliteConnection } from './library';

const MIB = 1024 * 1024;
/** Milliseconds that a statement waits for the lock of another connection. */
const BUSY_TIMEOUT_MS = 5000;

/** Settings that a program may choose. All others are the same for every file. */
export interface SqliteSettings {
  /** Bytes of pages that the writing connection caches. */
  readonly writerCache: number;
  /** Bytes of pages that each reading connection caches. */
  readonly readerCache: number;
  /** Size of the write-ahead log in bytes at which a commit runs a checkpoint, which delays that commit but no reader. */
  readonly checkpointAt: number;
  /** Size in bytes to which the write-ahead log is truncated after it has grown during a long read. */
  readonly walLimit: number;
  readonly foreignKeys: boolean;
  /** Bytes of a page of a new file, a power of two from 512 to 65,536. */
  readonly pageSize: number;
  /** Handling of free pages in a new file (`PRAGMA auto_vacuum`). */
  readonly autoVacuum: keyof typeof AUTO_VACUUM;
}

/** The values of `PRAGMA auto_vacuum`. */
const AUTO_VACUUM = { none: 0, full: 1, incremental: 2 };

/** Suits a database of some megabytes. */
const DEFAULT_SETTINGS: SqliteSettings = {
  writerCache: 16 * MIB,
  readerCache: 8 * MIB,
  checkpointAt: 4 * MIB,
  walLimit: 16 * MIB,
  foreignKeys: true,
  pageSize: 4096,
  autoVacuum: 'none',
};

export interface SqliteConnectionOptions extends FileName {
  /** `PRAGMA application_id`: four bytes that mark the files of a program. */
  readonly applicationId: number;
  readonly mode: 'read' | 'write';
  /** Values other than the default ones. */
  readonly settings?: Partial<SqliteSettings>;
}

/**
 * Opens a file for reading, or for reading and writing, and sets and asserts every setting. Settings belong to the connection,
 * not to the file; the library's default would leave `synchronous` at NORMAL under WAL.
 *
 * @throws SqliteError of the library, FileInaccessible for a refused setting; NotOurFile for the file of another program, which
 * is not changed
 */
export function openConnection(options: SqliteConnectionOptions): SqliteConnection {
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const readonly = options.mode === 'read';
  const connection = new SqliteConnection(options.file, { readonly, fileMustExist: readonly });
  const apply = (pragmas: readonly Pragma[]): void => {
    for (const [name, value] of pragmas) connection.pragma(`${name} = ${value}`);
    for (const pragma of pragmas) assertSetting(connection, pragma, options);
  };
  try {
    const blank = isBlank(connection);
    // Before any setting: SQLite writes the journal mode into the file.
    assertOurs(connection.pragma('application_id', { simple: true }), blank, options);
    if (blank && !readonly) apply(layout(settings));
    if (!readonly) connection.pragma('journal_mode = WAL');
    // A file without a table may still have a rollback journal.
    if (!blank || !readonly) assertSetting(connection, ['journal_mode', 'wal'], options);
    const pageSize = Number(connection.pragma('page_size', { simple: true }));
    apply(readonly ? readerPragmas(settings) : writerPragmas(settings, pageSize));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A setting, its value, and the value that SQLite returns if that differs. */
type Pragma = readonly [name: string, value: string | number, returned?: string | number];

/** A new file keeps these for ever. */
function layout({ pageSize, autoVacuum }: SqliteSettings): readonly Pragma[] {
  return [
    ['page_size', pageSize],
    ['auto_vacuum', autoVacuum, AUTO_VACUUM[autoVacuum]],
  ];
}

function commonPragmas({ foreignKeys }: SqliteSettings, cache: number): readonly Pragma[] {
  return [
    // With memory mapping a failed read would raise a signal that ends the process.
    ['mmap_size', 0],
    ['cache_size', -Math.ceil(cache / 1024)],
    ['foreign_keys', foreignKeys ? 1 : 0],
    ['trusted_schema', 0],
    ['cell_size_check', 1],
    ['temp_store', 2],
    ['busy_timeout', BUSY_TIMEOUT_MS],
  ];
}

function readerPragmas(settings: SqliteSettings): readonly Pragma[] {
  return [...commonPragmas(settings, settings.readerCache), ['query_only', 1]];
}

function writerPragmas(settings: SqliteSettings, pageSize: number): readonly Pragma[] {
  return [
    ...commonPragmas(settings, settings.writerCache),
    ['synchronous', 'FULL', 2],
    ['wal_autocheckpoint', Math.max(1, Math.floor(settings.checkpointAt / pageSize))],
    ['journal_size_limit', settings.walLimit],
  ];
}

function assertSetting(connection: SqliteConnection, [pragma, value, returned]: Pragma, name: FileName): void {
  const wanted = returned ?? value;
  const found: unknown = connection.pragma(pragma, { simple: true });
  // A build of SQLite without memory mapping returns nothing.
  if (found === wanted || (pragma === 'mmap_size' && found === undefined)) return;
  const problem = `SQLite did not apply the setting ${pragma} = ${wanted} (it is ${String(found)})`;
  throw new FileInaccessible(name, new Error(problem));
}

/** @throws NotOurFile */
export function assertOurs(applicationId: unknown, isBlank: boolean, options: SqliteConnectionOptions): void {
  if (applicationId === options.applicationId || (isBlank && applicationId === 0)) return;
  throw new NotOurFile(options, 'it was written by another program');
}

/** Whether a file has no table yet: it is new, or a kill came before its first commit. */
export function isBlank(connection: SqliteConnection): boolean {
  return connection.prepare<[], [number]>('SELECT count(*) FROM sqlite_schema').raw(true).get()?.[0] === 0;
}

/** `log` and `checkpointed` are frames: in the log, and copied into the file. */
function checkpoint(connection: SqliteConnection, mode: string): { busy: number; log: number; checkpointed: number } {
  const [result] = connection.pragma(`wal_checkpoint(${mode})`) as ReturnType<typeof checkpoint>[];
  return result ?? { busy: 1, log: 0, checkpointed: 0 };
}

/** Committed frames in the log, and whether all are in the file. PASSIVE copies as many as readers allow. */
export function logState(
  connection: SqliteConnection,
  mode: 'NOOP' | 'PASSIVE',
): { frames: number; isCopied: boolean } {
  const { busy, log, checkpointed } = checkpoint(connection, mode);
  return { frames: Math.max(0, log), isCopied: busy === 0 && log === checkpointed };
}

/** Truncates a log that was copied into the file. Waits for no reader. @returns false if a reader still uses the log */
export function truncateLog(connection: SqliteConnection): boolean {
  connection.pragma('busy_timeout = 0');
  try {
    return checkpoint(connection, 'TRUNCATE').busy === 0;
  } finally {
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Closes a connection without a checkpoint: the log stays as it is. */
export function closeKeepingLog(connection: SqliteConnection): void {
  if (connection.open) connection.prepare('SELECT keep_log_on_close()').get();
  connection.close();
}

/** Reads every page and verifies its checksum. @throws NotOurFile with the first finding */
export function assertSound(connection: SqliteConnection, name: FileName): void {
  const finding = integrityFinding(connection);
  if (finding !== undefined) throw new NotOurFile(name, finding);
}

/**
 * The first finding of SQLite's integrity check of a table, or of the whole database; undefined if it is intact. For a page that
 * does not fit its checksum the text contains file and page.
 */
export function integrityFinding(connection: SqliteConnection, table?: string): string | undefined {
  const finding = String(connection.pragma(`integrity_check(${table ?? 1})`, { simple: true }));
  if (finding === 'ok') return undefined;
  // The first line contains the database. For a failed read of a page it only has an error number.
  const page = finding.includes('error code=') ? lastPageFailure() : undefined;
  return page ?? finding.split('\n').at(-1) ?? finding;
}
