import type { SqliteConnection } from '@wrkz/sqlite';
import { DamagedRow } from './errors';
import { metaChecksum } from './rows/checksums';

/** The rows of `meta`. */
export type MetaKey = 'network' | 'body_floor' | 'lite_node_profile';

/** @throws DamagedRow */
export function readMeta(connection: SqliteConnection, key: MetaKey): string | undefined {
  const row = connection
    .prepare<[string], [value: unknown, checksum: number]>('SELECT value, checksum FROM meta WHERE key = ?')
    .raw(true)
    .get(key);
  if (row === undefined) return undefined;
  const value = String(row[0]);
  if (row[1] !== metaChecksum(key, value)) throw new DamagedRow('meta', key);
  return value;
}

export function writeMeta(connection: SqliteConnection, key: MetaKey, value: string): void {
  connection
    .prepare('INSERT OR REPLACE INTO meta (key, value, checksum) VALUES (?, ?, ?)')
    .run(key, value, metaChecksum(key, value));
}
