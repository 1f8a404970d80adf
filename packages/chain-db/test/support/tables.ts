import Database from 'better-sqlite3';
import { databaseFile, type ChainDb } from '../../src';
import { TABLES } from '../../src/schema';

/** Every row of every table (but the alternatives unless asked for), as text: equal only for equal contents. */
export function contents(db: ChainDb, alternatives = false): Record<string, string[]> {
  const connection = new Database(databaseFile(db.directory), { readonly: true });
  try {
    return Object.fromEntries(
      TABLES.filter((table) => alternatives || table !== 'alternatives').map((table) => [
        table,
        connection
          .prepare(`SELECT * FROM ${table}`)
          .raw(true)
          .safeIntegers(true)
          .all()
          .map((row) => (row as unknown[]).map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value))).join('|'))
          .sort(),
      ]),
    );
  } finally {
    connection.close();
  }
}
