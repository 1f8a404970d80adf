import type { WholeMigration } from '@wrkz/sqlite';

/** The first schema: bodies whole, one-time keys and unlock times by transaction, no checksums. */
export const FIRST_SCHEMA = `
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
CREATE INDEX blocks_by_hash ON blocks (substr(hash, 1, 8));

CREATE TABLE block_bodies (
  height INTEGER PRIMARY KEY,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  height INTEGER NOT NULL,
  unlock_time INTEGER NOT NULL,
  global_indexes BLOB NOT NULL
) STRICT;
CREATE INDEX transactions_by_hash ON transactions (substr(hash, 1, 8));

CREATE TABLE transaction_bodies (
  id INTEGER PRIMARY KEY,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE amounts (
  id INTEGER PRIMARY KEY,
  amount INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE outputs (
  amount_id INTEGER NOT NULL,
  global_index INTEGER NOT NULL,
  key BLOB NOT NULL,
  transaction_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (amount_id, global_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_images (
  image BLOB PRIMARY KEY,
  height INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
  body BLOB NOT NULL
) STRICT;
`;

export const initial: WholeMigration = {
  version: 1,
  name: 'initial',
  up: (connection) => connection.exec(FIRST_SCHEMA),
};
