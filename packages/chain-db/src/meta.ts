import type { SqliteConnection } from '@wrkz/sqlite';
import { DamagedRow } from './errors';
import { metaChecksum } from './rows/checksums';

/** The rows of `meta`. */
export type MetaKey = 'network' | 'body_floor' | 'lite_node_profile';

/** @throws DamagedRow */
export function readMeta(connection: SqliteConnection, key: MetaKey): string | undefined {
  // All columns: a database of the first schema has no checksum, and tells its network before it is brought up to date.
  const row = connection
    .prepare<[string], Record<string, string | number>>('SELECT * FROM meta WHERE key = ?')
    .get(key);
  if (row === undefined) return undefined;
  const value = String(row['value']);
  if ('checksum' in row && row['checksum'] !== metaChecksum(key, value)) throw new DamagedRow('meta', key);
  return value;
}

export function writeMeta(connection: SqliteConnection, key: MetaKey, value: string): void {
  connection
    .prepare('INSERT OR REPLACE INTO meta (key, value, checksum) VALUES (?, ?, ?)')
    .run(key, value, metaChecksum(key, value));
}
