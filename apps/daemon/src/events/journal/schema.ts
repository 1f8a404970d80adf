import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseOptions, SqliteConnection } from '@wrkz/sqlite';
import { JOURNAL_TOPICS, type JournalTopic } from './entry';

/** The single row of `state`. */
export interface JournalState {
  /** Unique id of this journal, 32 hex digits. A new journal gets a new id. */
  readonly journal: string;
  /** The highest assigned number. */
  readonly last: number;
  /** Entries up to this number may have been deleted. A client that has read this number or a higher one misses nothing. */
  readonly keptAfter: number;
}

/** The journal lacks a row that it must have. */
export class DamagedJournal extends Error {
  override readonly name = 'DamagedJournal';
}

const APPLICATION_ID = 0x57_4b_45_56;

/**
 * The tables of version 1. `entries` is the journal. `main_chain` has the blocks that the journal has followed: the highest row
 * is the last block with an entry. `pool` has the transactions with a `tx` entry that are not removed. `sessions` has a row for
 * each start: numbers above `before` and below `first` were never assigned.
 */
const SCHEMA = `
  CREATE TABLE entries (
    number INTEGER PRIMARY KEY, topic INTEGER NOT NULL, time INTEGER NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_topic ON entries (topic, number);
  CREATE TABLE main_chain (height INTEGER PRIMARY KEY, hash BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
  CREATE TABLE pool (hash BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE sessions (first INTEGER PRIMARY KEY, before INTEGER NOT NULL) STRICT;
  CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 0), journal TEXT NOT NULL, last INTEGER NOT NULL, kept_after INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
`;

export function journalFile(directory: string): string {
  return join(directory, 'events.sqlite');
}

/** Options to open the file. @param first numbers of a new journal start above it */
export function journalOptions(directory: string, mode: 'read' | 'write', first = 0): DatabaseOptions {
  return {
    file: journalFile(directory),
    title: 'event journal',
    option: '--data-dir',
    applicationId: APPLICATION_ID,
    mode,
    settings: { autoVacuum: 'incremental' },
    migrations: [
      (connection) => void connection.exec(SCHEMA),
      // Every page has a checksum (docs/protocol/storage.md#page-checksums), so rows need none.
      (connection) => {
        for (const table of ['entries', 'main_chain', 'state']) {
          connection.exec(`ALTER TABLE ${table} DROP COLUMN checksum`);
        }
      },
    ],
    onCreate: (connection) => {
      const journal = randomBytes(16).toString('hex');
      writeState(connection, { journal, last: first, keptAfter: first });
    },
  };
}

/** @throws DamagedJournal */
export function readState(connection: SqliteConnection): JournalState {
  const row = connection
    .prepare<[], [string, number, number]>('SELECT journal, last, kept_after FROM state')
    .raw(true)
    .get();
  if (row === undefined) throw new DamagedJournal('the state of the journal is missing');
  const [journal, last, keptAfter] = row;
  return { journal, last, keptAfter };
}

export function writeState(connection: SqliteConnection, { journal, last, keptAfter }: JournalState): void {
  connection.prepare('INSERT OR REPLACE INTO state VALUES (0, ?, ?, ?)').run(journal, last, keptAfter);
}

/** The stored number of a topic. It must never change. */
export function topicNumber(topic: JournalTopic): number {
  return JOURNAL_TOPICS.indexOf(topic);
}
