/** The tables that the second step makes, as the files have them that it made. It never changes. */
export const SECOND_SCHEMA = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL
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
  generated_transactions INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  stamp_checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE block_bodies (
  height INTEGER PRIMARY KEY,
  codec INTEGER NOT NULL,
  body BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  height INTEGER NOT NULL,
  global_indexes BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  prefix_checksum INTEGER NOT NULL,
  prefix BLOB NOT NULL
) STRICT;

CREATE TABLE signatures (
  id INTEGER PRIMARY KEY,
  codec INTEGER NOT NULL,
  signatures BLOB NOT NULL,
  checksum INTEGER NOT NULL
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
  checksum INTEGER NOT NULL,
  PRIMARY KEY (amount_id, global_index)
) STRICT, WITHOUT ROWID;


CREATE TABLE key_images (
  id INTEGER PRIMARY KEY,
  image BLOB NOT NULL,
  height INTEGER NOT NULL,
  checksum INTEGER NOT NULL
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
  checksum INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  body_checksum INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
`;
