import { createIdentityTable, SqliteConnection } from '@wrkz/sqlite';
import { type MetaKey, readMeta } from '../meta';
import { MIGRATIONS } from '../migrations';
import { parseLiteMark } from '../modes/floors';
import type { Problems } from './problems';

type SchemaRow = readonly [name: string, type: string, table: string, sql: string];

/** Compares the tables and indexes of a file with those that the program makes. */
export function checkSchema(connection: SqliteConnection, problems: Problems): void {
  const fresh = new SqliteConnection(':memory:');
  try {
    createIdentityTable(fresh);
    for (const migration of MIGRATIONS) migration.up(fresh);
    const wanted = schemaOf(fresh);
    const found = schemaOf(connection);
    for (const [name, text] of wanted) problems.equal('schema', name, found.get(name), text);
    for (const [name, text] of found) {
      if (!wanted.has(name)) problems.add('schema', `${name} is not part of it: ${text}`);
    }
  } finally {
    fresh.close();
  }
}

/** By name, each on one line as a finding shows it; an index that SQLite makes for a key has no text. */
function schemaOf(connection: SqliteConnection): Map<string, string> {
  const rows = connection
    .prepare<[], SchemaRow>("SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")
    .raw(true)
    .all();
  return new Map(rows.map(([name, type, table, sql]) => [name, `${type} of ${table}: ${sql.replace(/\s+/g, ' ')}`]));
}

/** Compares every row of `meta` with what may stand there. */
export function checkMeta(connection: SqliteConnection, network: string, tip: number, problems: Problems): void {
  let lite: number | undefined;
  const allowed: Record<MetaKey, (value: string) => boolean> = {
    lite_node_profile: (value) => (lite = parseLiteMark(value)) !== undefined,
    network: (value) => value === network,
    body_floor: (value) =>
      /^\d+$/.test(value) && (lite === undefined ? Number(value) <= tip + 1 : Number(value) === lite),
  };
  const keys = connection.prepare<[], [string]>('SELECT key FROM meta ORDER BY key').raw(true).all();
  const unknown = new Set(keys.map(([key]) => key));
  for (const [key, allows] of Object.entries(allowed) as [MetaKey, (value: string) => boolean][]) {
    unknown.delete(key);
    const where = `meta ${key}`;
    const value = readMeta(connection, key);
    // Only a lite node has the mark.
    if (value === undefined && key !== 'lite_node_profile') problems.add(where, 'is missing');
    if (value !== undefined && !allows(value)) problems.add(where, `is invalid: ${JSON.stringify(value)}`);
  }
  for (const key of unknown) problems.add(`meta ${key}`, 'is not part of the schema');
}
