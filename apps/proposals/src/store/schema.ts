import type { Migration } from '@wrkz/sqlite';

/*
 * The two files of the program, each with one writer. `proposals.sqlite` is written by the operator's commands alone; the
 * program that serves only reads it. `funding.sqlite` is written by the program that serves, and holds nothing that the
 * wallet could not tell again: it may be removed while the program stands still.
 */

/** `WPRO`. */
export const PROPOSALS_ID = 0x5750524f;
/** `WFUN`. */
export const FUNDING_ID = 0x5746554e;

/**
 * Amounts are atomic units, times Unix seconds. An address stands once, as donations to it could be told apart by nothing
 * else. Numbers of proposals are never given twice.
 */
const PROPOSALS = `
  CREATE TABLE network (name TEXT NOT NULL) STRICT;

  CREATE TABLE proposals (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    headline TEXT    NOT NULL,
    category TEXT    NOT NULL,
    status   INTEGER NOT NULL CHECK (status BETWEEN 0 AND 4),
    user     TEXT    NOT NULL,
    target   INTEGER NOT NULL CHECK (target > 0),
    address  TEXT    NOT NULL UNIQUE,
    posted   INTEGER NOT NULL CHECK (posted >= 0),
    content  TEXT    NOT NULL
  ) STRICT;
  CREATE INDEX proposals_by_status ON proposals (status, posted DESC, id DESC);
  CREATE INDEX proposals_by_date ON proposals (posted DESC, id DESC);

  -- Who changed what: rows as JSON, null where there was none
  CREATE TABLE audit (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    actor    TEXT    NOT NULL,
    action   TEXT    NOT NULL,
    proposal INTEGER NOT NULL REFERENCES proposals (id),
    before   TEXT,
    after    TEXT    NOT NULL,
    note     TEXT    NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is kept'); END;
  CREATE TRIGGER audit_stands BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is kept'); END;
`;

/**
 * What came in by donation address, as the last complete look at the wallet found it. A look replaces all rows of its
 * addresses at once, so nothing of a block that is gone stays behind.
 */
const FUNDING = `
  -- checked: when the wallet was asked. height: the index of the wallet's tip then
  CREATE TABLE funding (
    address  TEXT    PRIMARY KEY,
    received INTEGER NOT NULL,
    pending  INTEGER NOT NULL,
    checked  INTEGER NOT NULL,
    height   INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE contributions (
    address  TEXT    NOT NULL REFERENCES funding (address) ON DELETE CASCADE,
    hash     TEXT    NOT NULL,
    amount   INTEGER NOT NULL CHECK (amount > 0),
    height   INTEGER NOT NULL,
    time     INTEGER NOT NULL,
    unlocked INTEGER NOT NULL,
    PRIMARY KEY (address, hash)
  ) STRICT, WITHOUT ROWID;
`;

/** What a step does never changes: there are files that it has made. */
export const PROPOSALS_MIGRATIONS: readonly Migration[] = [(connection) => void connection.exec(PROPOSALS)];
export const FUNDING_MIGRATIONS: readonly Migration[] = [(connection) => void connection.exec(FUNDING)];
