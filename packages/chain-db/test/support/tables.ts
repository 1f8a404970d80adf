import { SqliteConnection } from '@wrkz/sqlite';
import { createHash } from 'node:crypto';
import { databaseFile, type ChainDb } from '../../src';
import { TABLES } from '../../src/schema';

/** All rows of all tables as text, by table; alternatives only on request. */
export function contents(db: ChainDb, alternatives = false): Record<string, string[]> {
  const connection = new SqliteConnection(databaseFile(db.directory), { readonly: true });
  try {
    return Object.fromEntries(
      TABLES.filter((table) => alternatives || table !== 'alternatives').map((table) => [
        table,
        connection
          .prepare(`SELECT * FROM ${table}`)
          .raw(true)
          .safeIntegers(true)
          .all()
          .map((row) =>
            (row as unknown[])
              .map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)))
              .join('|'),
          )
          .sort(),
      ]),
    );
  } finally {
    connection.close();
  }
}

/** Rows and a hash of the rows of each table: {@link contents} for databases too large to show. */
export function fingerprint(db: ChainDb): Record<string, string> {
  return Object.fromEntries(
    Object.entries(contents(db)).map(([table, rows]) => [
      table,
      `${rows.length} rows, ${createHash('sha256').update(rows.join('\n')).digest('hex')}`,
    ]),
  );
}
