import type { SqliteConnection } from '@wrkz/sqlite';

/** The keys of `meta`. */
export type MetaKey = 'network' | 'body_floor' | 'lite_node_profile';

export function readMeta(connection: SqliteConnection, key: MetaKey): string | undefined {
  const row = connection.prepare<[string], [unknown]>('SELECT value FROM meta WHERE key = ?').raw(true).get(key);
  return row === undefined ? undefined : String(row[0]);
}

export function writeMeta(connection: SqliteConnection, key: MetaKey, value: string): void {
  connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
}
