import type { Migration } from '@wrkz/sqlite';
import { createHashIndexes } from './hash-index/schema';

/**
 * The schema.
 *
 * table               key                       content
 * ------------------  ------------------------  ---------------------------------------------------------------
 * meta                key                       network, floors of pruned and lite nodes
 * blocks              height                    facts of a main-chain block (BlockFacts of packages/consensus)
 * block_bodies        height                    header and parent of a block: its bytes up to the coinbase
 * transactions        id                        hash, block, global indexes and prefix, also of coinbases
 * signatures          id                        the bytes behind the prefix (coinbases have none)
 * amounts             id; amount                internal id of an output amount
 * outputs             (amount_id, global_index) one-time key, block, unlock time and position of an output
 * key_images          id                        a spent key image and the height of the block that spent it
 * payment_ids         id                        a plain payment id and its transaction, one row per use
 * hash_...            (see hash-index/)         LSM index from block ids, transaction hashes, key images and uses to rows
 * alternatives        id; hash                  alternative blocks, with facts and bytes
 * rules_digests       height                    rules digest at each hundredth height (version 2, see MIGRATIONS)
 *
 * Transaction ids are dense and in chain order: the coinbase of block h has id blocks[h - 1].generated_transactions (0 for
 * genesis), the others follow in the order of the block. So a rewind deletes a range. Global indexes are dense per amount and in
 * chain order, so heights ascend with them: the number of outputs at a height is found by binary search.
 *
 * Pruning deletes ranges of `block_bodies` and `signatures`, which only peers need. A wallet scan reads `blocks` and
 * `transactions`. The consensus rules read `blocks`, `outputs` and `key_images`, which refer to no other table: a lite node has
 * only these below its height.
 *
 * The bytes of a block are its body, the prefix of its coinbase, and the hashes of its transactions. The one-time key of an output
 * is stored twice: in the prefix, for wallet scans, and in `outputs`, for access by global index.
 *
 * `codec` is the encoding of a blob (block-bytes.ts), so that compressed rows can be added. Rows have no checksums: every page has
 * one (packages/sqlite). The LSM index has fingerprints only; the full hash is compared with the row.
 *
 * Unsigned 64-bit values are stored as signed 64 bits (two's complement). blocks.timestamp_lag is the difference to the max
 * timestamp so far, nearly always 0: timestamp + timestamp_lag ascends, so the first block at a time is found by binary search.
 */

/** `PRAGMA application_id`: the letters WRKZ. */
export const APPLICATION_ID = 0x57524b5a;

/** `PRAGMA user_version`: the number of the newest migration. */
export const SCHEMA_VERSION = 2;

/** A compromise: large transactions waste less of a large page, single outputs are read faster from a small one. */
export const PAGE_SIZE = 8192;

/** The tables of schema version 1 without the hash indexes. Released files have them, so a change is a new migration. */
const SCHEMA = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
  height INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  major_version INTEGER NOT NULL,
  minor_version INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  timestamp_lag INTEGER NOT NULL,
  size INTEGER NOT NULL,
  difficulty INTEGER NOT NULL,
  cumulative_difficulty INTEGER NOT NULL,
  generated_coins INTEGER NOT NULL,
  generated_transactions INTEGER NOT NULL
) STRICT;

CREATE TABLE block_bodies (
  height INTEGER PRIMARY KEY,
  codec INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  height INTEGER NOT NULL,
  global_indexes BLOB NOT NULL,
  codec INTEGER NOT NULL,
  prefix BLOB NOT NULL
) STRICT;

CREATE TABLE signatures (
  id INTEGER PRIMARY KEY,
  codec INTEGER NOT NULL,
  signatures BLOB NOT NULL
) STRICT;

CREATE TABLE amounts (
  id INTEGER PRIMARY KEY,
  amount INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE outputs (
  amount_id INTEGER NOT NULL,
  global_index INTEGER NOT NULL,
  key BLOB NOT NULL,
  height INTEGER NOT NULL,
  unlock_time INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (amount_id, global_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_images (
  id INTEGER PRIMARY KEY,
  image BLOB NOT NULL,
  height INTEGER NOT NULL
) STRICT;

CREATE TABLE payment_ids (
  id INTEGER PRIMARY KEY,
  payment_id BLOB NOT NULL,
  use INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL
) STRICT;

CREATE TABLE alternatives (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  parent BLOB NOT NULL,
  height INTEGER NOT NULL,
  major_version INTEGER NOT NULL,
  minor_version INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  size INTEGER NOT NULL,
  difficulty INTEGER NOT NULL,
  cumulative_difficulty INTEGER NOT NULL,
  generated_coins INTEGER NOT NULL,
  generated_transactions INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
`;

/** Tables of the chain state. After a rewind they are as if the blocks had never been stored. */
export const TABLES = [
  'meta',
  'blocks',
  'block_bodies',
  'transactions',
  'signatures',
  'amounts',
  'outputs',
  'key_images',
  'payment_ids',
  'alternatives',
  'rules_digests',
] as const;

/** The history of the schema: migration i leads to version i + 1. A released migration never changes. */
export const MIGRATIONS: readonly Migration[] = [
  (connection) => {
    connection.exec(SCHEMA);
    createHashIndexes(connection);
  },
  // Filled while the node is idle (modes/rules-digest.ts).
  (connection) =>
    void connection.exec('CREATE TABLE rules_digests (height INTEGER PRIMARY KEY, digest BLOB NOT NULL) STRICT'),
];
