import { randomBytes } from 'node:crypto';
import type { DatabaseOptions, SqliteConnection } from '@wrkz/sqlite';

const APPLICATION_ID = 0x57_4b_57_53;

/**
 * `identity` has one row: which side file this is, and what came before it. `answers` are requests by the key that their
 * caller gave them, `leaving` what an unanswered one was about to send, sealed, `spending` what each access key has sent in
 * a day, `extras` what of a transaction the container has no place for, `delayed` transactions that were built and not sent.
 */
const SCHEMA = `
  CREATE TABLE identity (
    id INTEGER PRIMARY KEY CHECK (id = 0), side_file TEXT NOT NULL, wallet TEXT NOT NULL, since INTEGER NOT NULL,
    lost TEXT
  ) STRICT;
  CREATE TABLE answers (
    owner TEXT NOT NULL, key TEXT NOT NULL, body_hash BLOB NOT NULL, begun INTEGER NOT NULL, status INTEGER, body TEXT,
    PRIMARY KEY (owner, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX answers_by_age ON answers (begun);
  CREATE TABLE leaving (
    place INTEGER PRIMARY KEY, owner TEXT NOT NULL, key TEXT NOT NULL, hash TEXT NOT NULL, sealed BLOB NOT NULL,
    UNIQUE (owner, key, hash)
  ) STRICT;
  CREATE TABLE spending (
    name TEXT NOT NULL, day INTEGER NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (name, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE extras (hash BLOB PRIMARY KEY, extra BLOB NOT NULL, details TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE delayed (
    hash BLOB PRIMARY KEY, created INTEGER NOT NULL, state TEXT NOT NULL, transaction_bytes BLOB NOT NULL,
    intent TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/* Both later steps may be done again: where one bit of the version is damaged, what they make is there already. */

/** How often the file was written before something left the wallet: the container knows how often it was at least. */
const WRITES = `
  CREATE TABLE IF NOT EXISTS writes (id INTEGER PRIMARY KEY CHECK (id = 0), count INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO writes VALUES (0, 0);
`;

/** `told`: of which transactions receivers of notifications were told, and how far. */
const TOLD = `
  CREATE TABLE IF NOT EXISTS told (hash BLOB PRIMARY KEY, stage INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Why the file does not remember all that went before. */
export type MemoryLoss = 'missing' | 'damaged' | 'foreign' | 'outdated';

export interface SideFileIdentity {
  /** Random; the container names it, so that its loss is noticed. */
  readonly sideFile: string;
  /** The public view key of the wallet that it belongs to. */
  readonly wallet: string;
  /** Unix milliseconds from which on it remembers. */
  readonly since: number;
  /** Undefined: it remembers all that the container knows of. */
  readonly lost: MemoryLoss | undefined;
}

export function sideFileOptions(file: string, first: Omit<SideFileIdentity, 'sideFile'>): DatabaseOptions {
  return {
    file,
    title: 'side file of the wallet',
    applicationId: APPLICATION_ID,
    mode: 'write',
    migrations: [
      { version: 1, name: 'side file', up: (connection) => void connection.exec(SCHEMA) },
      { version: 2, name: 'writes', up: (connection) => void connection.exec(WRITES) },
      { version: 3, name: 'told transactions', up: (connection) => void connection.exec(TOLD) },
    ],
    onCreate: (connection) => {
      connection
        .prepare('INSERT INTO identity VALUES (0, ?, ?, ?, ?)')
        .run(randomBytes(16).toString('hex'), first.wallet, first.since, first.lost ?? null);
    },
  };
}

export function readIdentity(connection: SqliteConnection): SideFileIdentity {
  const row = connection
    .prepare<[], [string, string, number, MemoryLoss | null]>('SELECT side_file, wallet, since, lost FROM identity')
    .raw(true)
    .get();
  if (row === undefined) throw new Error('the side file does not say what it is');
  const [sideFile, wallet, since, lost] = row;
  return { sideFile, wallet, since, lost: lost ?? undefined };
}
