import { SqliteConnection } from '@wrkz/sqlite';
import { ChainDbError, NotAChainDatabase } from './errors';
import { APPLICATION_ID, PAGE_SIZE } from './schema';

export type Connection = SqliteConnection;

const MIB = 1024 * 1024;

/** Cache of the one writing connection and of each reading one, in bytes. */
const WRITER_CACHE = 128 * MIB;
const READER_CACHE = 32 * MIB;

/**
 * Pages in the write-ahead log at which a commit also copies back into the file. A commit that crosses it waits for at
 * most about this much to be written; readers are not held up.
 */
const CHECKPOINT_PAGES = (32 * MIB) / PAGE_SIZE;

/** A write-ahead log that outgrew its bound because of a long read is cut back to this. */
const WAL_LIMIT = 64 * MIB;

/**
 * The settings of a connection. They are per connection, not part of the file (the build's own default would leave
 * `synchronous` at NORMAL under WAL), so each open sets them and asks back.
 */
function settings(
  readonly: boolean,
): readonly (readonly [pragma: string, value: string | number, answer?: string | number])[] {
  return [
    // A damaged page under memory mapping is a signal that ends the process; a failed read is an error that can be told.
    ['mmap_size', 0],
    ['cache_size', -(readonly ? READER_CACHE : WRITER_CACHE) / 1024],
    ['foreign_keys', 0],
    ['trusted_schema', 0],
    ['cell_size_check', 1],
    ['temp_store', 2],
    ['busy_timeout', 5000],
    ...(readonly
      ? ([['query_only', 1]] as const)
      : ([
          ['synchronous', 'FULL', 2],
          ['wal_autocheckpoint', CHECKPOINT_PAGES],
          ['journal_size_limit', WAL_LIMIT],
        ] as const)),
  ];
}

/**
 * Opens a file for reading, or for reading and writing, with every setting made and asserted.
 * @throws SqliteError as the library has it, NotAChainDatabase for another program's file, which is left as it is
 */
export function connect(file: string, mode: 'read' | 'write'): Connection {
  const readonly = mode === 'read';
  const connection = new SqliteConnection(file, { readonly, fileMustExist: readonly });
  try {
    // Before any setting, because the journal mode is written into the file.
    assertOurs(connection, file);
    if (!readonly) {
      // Takes effect on an empty file alone, and only before the journal mode.
      connection.pragma(`page_size = ${PAGE_SIZE}`);
      connection.pragma('journal_mode = WAL');
    }
    for (const [name, value] of settings(readonly)) connection.pragma(`${name} = ${value}`);
    if (!(readonly && isBlank(connection))) assertSetting(connection, 'journal_mode', 'wal');
    for (const [name, value, answer] of settings(readonly)) assertSetting(connection, name, answer ?? value);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Whether a file has no table yet: it is new, or its making was cut off before the first commit. */
export function isBlank(connection: Connection): boolean {
  return connection.prepare<[], [number]>('SELECT count(*) FROM sqlite_schema').raw(true).get()?.[0] === 0;
}

function assertOurs(connection: Connection, file: string): void {
  if (connection.pragma('application_id', { simple: true }) === APPLICATION_ID || isBlank(connection)) return;
  throw new NotAChainDatabase(file, 'it was written by another program');
}

function assertSetting(connection: Connection, name: string, wanted: string | number): void {
  const found: unknown = connection.pragma(name, { simple: true });
  // SQLite answers nothing where memory mapping was left out of the build.
  if (found === wanted || (name === 'mmap_size' && found === undefined)) return;
  throw new ChainDbError(
    'NOT_A_CHAIN_DATABASE',
    `SQLite did not take the setting ${name} = ${wanted} (it is ${String(found)})`,
  );
}
