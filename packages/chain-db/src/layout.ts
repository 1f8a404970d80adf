import type { SqliteConnection } from '@wrkz/sqlite';

/** `PRAGMA auto_vacuum` of a file whose empty pages can be given back in steps. */
const INCREMENTAL = 2;

/**
 * Lays a file of an older program out anew, so that pages which pruning empties can be given back. SQLite does it in one
 * transaction: after a kill the file is as it was, and the next open begins again. It needs as much free space as the
 * database has bytes.
 *
 * @returns whether there was anything to do
 */
export function layOutForPruning(connection: SqliteConnection, onStart?: () => void): boolean {
  if (connection.pragma('auto_vacuum', { simple: true }) === INCREMENTAL) return false;
  onStart?.();
  const temporary = Number(connection.pragma('temp_store', { simple: true }));
  // The copy is made beside the file, not in memory.
  connection.pragma('temp_store = FILE');
  try {
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.exec('VACUUM');
  } finally {
    connection.pragma(`temp_store = ${temporary}`);
  }
  return true;
}
