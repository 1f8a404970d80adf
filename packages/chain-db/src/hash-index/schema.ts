import type { SqliteConnection } from '@wrkz/sqlite';
import { randomBytes } from 'node:crypto';

/** The kinds of hashes that are looked up. The file stores the numbers. */
export const HASH_KINDS = { block: 0, transaction: 1, keyImage: 2, paymentId: 3 } as const;
export type HashKind = (typeof HASH_KINDS)[keyof typeof HASH_KINDS];

/** Names of the kinds in error messages, by number. */
export const HASH_KIND_NAMES = ['block ids', 'transaction hashes', 'key images', 'payment ids'] as const;

/**
 * An LSM index from hashes to row ids (docs/protocol/storage.md#hash-look-ups). An entry says that row `id` of the kind's
 * table probably has the hash with this fingerprint. Callers compare the row itself.
 *
 * hash_state: secret `seed` of the fingerprints; `manifest`, a JSON list of runs (`Run`); `generation` counts its changes.
 * hash_pages: pages of runs, by page key. hash_filters: Bloom filters of 64 pages each, by page key / 64.
 */
const SCHEMA = `
CREATE TABLE hash_state (
  id INTEGER PRIMARY KEY CHECK (id = 1), seed BLOB NOT NULL, generation INTEGER NOT NULL, manifest TEXT NOT NULL
) STRICT;
CREATE TABLE hash_pages (id INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
CREATE TABLE hash_filters (id INTEGER PRIMARY KEY, bits BLOB NOT NULL) STRICT;
`;

/** Creates the tables with a new secret seed. The caller holds the transaction. */
export function createHashIndexes(connection: SqliteConnection): void {
  connection.exec(SCHEMA);
  connection.prepare("INSERT INTO hash_state VALUES (1, ?, 0, '[]')").run(randomBytes(32));
}
