import { NotOurFile, SettingRefused, type FileName } from './errors';
import { SqliteConnection } from './library';
import { AUTO_VACUUM, DEFAULT_SETTINGS, type SqliteSettings } from './settings';

export interface SqliteConnectionOptions extends FileName {
  /** `PRAGMA application_id`: four bytes by which a program knows its own files. */
  readonly applicationId: number;
  readonly mode: 'read' | 'write';
  /** What differs from {@link DEFAULT_SETTINGS}. */
  readonly settings?: Partial<SqliteSettings>;
}

/** A setting, its value, and the answer to expect when SQLite's own differs from the value. */
type Pragma = readonly [name: string, value: string | number, answer?: string | number];

/**
 * Opens a file for reading, or for reading and writing, with every setting made and asserted. Settings belong to the
 * connection, not to the file (the library's own default would leave `synchronous` at NORMAL under WAL), so each open
 * makes them and asks back.
 *
 * @throws SqliteError as the library has it, SettingRefused, NotOurFile for another program's file, which is left as it is
 */
export function openConnection(options: SqliteConnectionOptions): SqliteConnection {
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const readonly = options.mode === 'read';
  const connection = new SqliteConnection(options.file, { readonly, fileMustExist: readonly });
  try {
    const blank = isBlank(connection);
    // Before any setting, because the journal mode is written into the file.
    assertOurs(connection, blank, options);
    if (!readonly) {
      if (blank) layOut(connection, settings, options);
      connection.pragma('journal_mode = WAL');
    }
    const pragmas = readonly ? readerPragmas(settings) : writerPragmas(settings, pageSize(connection));
    for (const [name, value] of pragmas) connection.pragma(`${name} = ${value}`);
    // A file that has no table yet may still have the journal of a file that nobody has written to.
    if (!(readonly && blank)) assertSetting(connection, ['journal_mode', 'wal'], options);
    for (const pragma of pragmas) assertSetting(connection, pragma, options);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Whether a file has no table yet: it is new, or its making was cut off before the first commit. */
export function isBlank(connection: SqliteConnection): boolean {
  return connection.prepare<[], [number]>('SELECT count(*) FROM sqlite_schema').raw(true).get()?.[0] === 0;
}

/**
 * Closes the writing connection and copies the write-ahead log back into the file. Idempotent; a connection that is closed
 * already stays so.
 */
export function closeWriter(connection: SqliteConnection): void {
  if (!connection.open) return;
  try {
    // A long read elsewhere keeps the log in use; a stop does not wait for it.
    connection.pragma('busy_timeout = 0');
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // On a full disk the log keeps what was committed, and the next open reads it from there.
  }
  connection.close();
}

/**
 * Copies all of the write-ahead log back into the file and cuts it, without waiting for anybody.
 * @returns whether the log is empty now
 */
export function checkpointAll(connection: SqliteConnection): boolean {
  const timeout = Number(connection.pragma('busy_timeout', { simple: true }));
  connection.pragma('busy_timeout = 0');
  try {
    const [answer] = connection.pragma('wal_checkpoint(TRUNCATE)') as readonly { busy: number }[];
    return answer?.busy === 0;
  } finally {
    connection.pragma(`busy_timeout = ${timeout}`);
  }
}

function commonPragmas({ busyTimeout, foreignKeys }: SqliteSettings, cache: number): readonly Pragma[] {
  return [
    // Under memory mapping a damaged page is a signal that ends the process; a failed read is an error with a message.
    ['mmap_size', 0],
    ['cache_size', -Math.ceil(cache / 1024)],
    ['foreign_keys', foreignKeys ? 1 : 0],
    ['trusted_schema', 0],
    ['cell_size_check', 1],
    ['temp_store', 2],
    ['busy_timeout', busyTimeout],
  ];
}

function readerPragmas(settings: SqliteSettings): readonly Pragma[] {
  return [...commonPragmas(settings, settings.readerCache), ['query_only', 1]];
}

function writerPragmas(settings: SqliteSettings, page: number): readonly Pragma[] {
  return [
    ...commonPragmas(settings, settings.writerCache),
    ['synchronous', 'FULL', 2],
    ['wal_autocheckpoint', Math.max(1, Math.floor(settings.checkpointAt / page))],
    ['journal_size_limit', settings.walLimit],
  ];
}

/** Sets the page size and the vacuum mode of a new file, which keeps both from its first page on. */
function layOut(connection: SqliteConnection, settings: SqliteSettings, name: FileName): void {
  const layout: readonly Pragma[] = [
    ['page_size', settings.pageSize],
    ['auto_vacuum', settings.autoVacuum, AUTO_VACUUM[settings.autoVacuum]],
  ];
  for (const [pragma, value] of layout) connection.pragma(`${pragma} = ${value}`);
  for (const pragma of layout) assertSetting(connection, pragma, name);
}

function pageSize(connection: SqliteConnection): number {
  return Number(connection.pragma('page_size', { simple: true }));
}

function assertOurs(connection: SqliteConnection, blank: boolean, options: SqliteConnectionOptions): void {
  const id: unknown = connection.pragma('application_id', { simple: true });
  if (id === options.applicationId || (blank && id === 0)) return;
  throw new NotOurFile(options, 'it was written by another program');
}

function assertSetting(connection: SqliteConnection, [pragma, value, answer]: Pragma, name: FileName): void {
  const wanted = answer ?? value;
  const found: unknown = connection.pragma(pragma, { simple: true });
  // SQLite answers nothing where memory mapping was left out of the build.
  if (found === wanted || (pragma === 'mmap_size' && found === undefined)) return;
  throw new SettingRefused(name, pragma, wanted, found);
}
