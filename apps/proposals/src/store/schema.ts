import type { Migration } from '@wrkz/sqlite';

/*
 * Each database has one writer. `proposals.sqlite` is written by the admin commands and only read by the service.
 * `funding.sqlite` is written by the service. It is a cache of wallet data and can be deleted while the service is stopped.
 */

/** `WPRO`. */
export const PROPOSALS_ID = 0x5750524f;
/** `WFUN`. */
export const FUNDING_ID = 0x5746554e;

/**
 * Amounts are in atomic units, times in Unix seconds. Addresses are unique, because donations to one address cannot be
 * assigned to two proposals. AUTOINCREMENT prevents the reuse of ids.
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

  -- before, after: rows as JSON; before is null for a new proposal
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

/** Donations by address. Each poll replaces all rows of an address, so that no rows of reorganised blocks remain. */
const FUNDING = `
  -- checked: time of the poll; height: block index of the wallet's tip at that time
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

/** Never change a migration: existing databases were created by it. */
export const PROPOSALS_MIGRATIONS: readonly Migration[] = [(connection) => void connection.exec(PROPOSALS)];
export const FUNDING_MIGRATIONS: readonly Migration[] = [(connection) => void connection.exec(FUNDING)];
