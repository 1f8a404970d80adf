import { KEY_IMAGE_SCHEMA, KEY_IMAGE_TABLES } from './key-images';
import { PAYMENT_ID_SCHEMA, PAYMENT_ID_TABLES } from './payment-ids';

/**
 * The whole database on one page.
 *
 * table               key                       answers
 * ------------------  ------------------------  ---------------------------------------------------------------
 * meta                key                       which network, from which height on bodies are kept, whether it is lite
 * blocks              height                    what is remembered of a main-chain block (consensus' BlockFacts)
 * block_bodies        height                    header and parent of a block: its bytes up to the coinbase
 * transactions        id                        id, block, global indexes and prefix of a transaction, of a coinbase too
 * signatures          id                        what stands behind the prefix of a transaction (coinbases have none)
 * amounts             id; amount                small integer that stands for an output amount
 * outputs             (amount_id, global_index) one-time key of an output, its block, unlock time and place
 * key_images          id                        a spent key image and the height of the block that spent it
 * payment_ids         id                        a plain payment id and the transaction that carries it, once a use
 * hash_...            (see hash-index/)         height of a block id, id of a transaction hash, of a key image, of a use
 * alternatives        id; hash                  blocks off the main chain, with facts and bytes
 *
 * Transaction ids are dense and in chain order: the coinbase of block h has id blocks[h - 1].generated_transactions (0 for
 * genesis) and the others follow in the block's order, so an id tells the position and a rewind is a delete by range.
 * Global indexes are dense per amount and in the same order, so among the outputs of one amount the height never falls:
 * "how many were there at height h" is a binary search.
 *
 * What a mode can do without stands in rows of its own. `block_bodies` and `signatures` serve peers alone: the rules, the
 * wallets and a rewind need neither, so pruning is two deletes by range. A wallet's rescan reads `blocks` and
 * `transactions`. The rules read `blocks`, `outputs` and the key images, which name no row of another table: a lite node
 * has nothing else below its height.
 *
 * A block's bytes are its body, the prefix of its coinbase, and the hashes of its transactions, which stand once, there. The
 * one-time key of an output stands twice on purpose: in the prefix for whoever reads blocks in a row, in `outputs` for
 * whoever picks single ones; each costs one page, and either can be made again from the other.
 *
 * `codec` names the encoding of a blob (block-bytes.ts), so that compressed rows can be stored beside plain ones. Rows carry no
 * checksums: every page has one (packages/sqlite).
 *
 * 32-byte hashes stand once: the look-ups hold fingerprints of them and the row itself is compared.
 *
 * 64-bit unsigned values are stored as SQLite's signed 64 bits (two's complement). blocks.timestamp_lag is how far the
 * timestamp lies below the highest one so far (0 nearly always): timestamp + timestamp_lag never falls, which makes "first
 * block from a time on" a binary search, too.
 */

/** `PRAGMA application_id`: the letters WRKZ. */
export const APPLICATION_ID = 0x57524b5a;

/** `PRAGMA user_version`: the number of the newest migration. */
export const SCHEMA_VERSION = 1;

/** Large enough that a typical transaction does not waste a third of its page, small enough for single outputs. */
export const PAGE_SIZE = 8192;

/** The tables of schema version 1 without the hash indexes. Released files have them, so a change is a new migration. */
export const SCHEMA = `
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

${KEY_IMAGE_SCHEMA}${PAYMENT_ID_SCHEMA}
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

/** Every table that holds chain state; what a rewind must leave exactly as if the blocks had never been. */
export const TABLES = [
  'meta',
  'blocks',
  'block_bodies',
  'transactions',
  'signatures',
  'amounts',
  'outputs',
  ...KEY_IMAGE_TABLES,
  ...PAYMENT_ID_TABLES,
  'alternatives',
] as const;
