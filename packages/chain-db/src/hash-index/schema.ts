import type { SqliteConnection } from '@wrkz/sqlite';
import { randomBytes } from 'node:crypto';
import { checksum } from './checksum';

/**
 * Hash look-ups whose writing costs the same at any length of the chain: the newest entries in a small tree, older ones in
 * sorted runs whose pages are written once (docs/protocol/storage.md#hash-look-ups).
 *
 * table         key                       holds
 * ------------  ------------------------  -------------------------------------------------------------------------
 * hash_state    1                         the secret of the fingerprints; how often the set of pages has changed
 * hash_recent   (kind, fingerprint, id)   entries that are in no run yet
 * hash_runs     run                       kind and level of a run; `target` is the run that it is being merged into,
 *                                         `pages` a sum that says which pages it has
 * hash_pages    run * 2^40 + fingerprint  some 900 entries of a run in ascending order; the key is their lower bound
 * hash_filters  as hash_pages             a Bloom filter of the page, so that a miss reads no page
 *
 * An entry says that row `id` of the kind's table probably has the hash with this fingerprint; the row itself is compared.
 */
export const HASH_INDEX_SCHEMA = `
CREATE TABLE hash_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seed BLOB NOT NULL,
  generation INTEGER NOT NULL
) STRICT;

CREATE TABLE hash_recent (
  kind INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (kind, fingerprint, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE hash_runs (
  run INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  level INTEGER NOT NULL,
  target INTEGER,
  pages INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE hash_pages (
  id INTEGER PRIMARY KEY,
  entries BLOB NOT NULL
) STRICT;

CREATE TABLE hash_filters (
  id INTEGER PRIMARY KEY,
  bits BLOB NOT NULL
) STRICT;
`;

export const HASH_INDEX_TABLES = ['hash_state', 'hash_recent', 'hash_runs', 'hash_pages', 'hash_filters'] as const;

/** Bytes of the secret; its checksum follows it in the row. */
export const SEED_BYTES = 32;

/** The key of its row. */
export const SEED_KEY = 1;

/** Makes the tables, with a secret of their own. The caller holds the transaction. */
export function createHashIndexes(connection: SqliteConnection): void {
  connection.exec(HASH_INDEX_SCHEMA);
  const seed = randomBytes(SEED_BYTES);
  connection
    .prepare('INSERT INTO hash_state (id, seed, generation) VALUES (1, ?, 0)')
    .run(Buffer.concat([seed, checksum(seed, SEED_KEY)]));
}
