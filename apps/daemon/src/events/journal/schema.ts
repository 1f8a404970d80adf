import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseOptions, SqliteConnection } from '@wrkz/sqlite';
import { stateChecksum } from './checksums';
import { JOURNAL_TOPICS, type JournalTopic } from './journal';
import type { JournalState } from './state';

const APPLICATION_ID = 0x57_4b_45_56;

/**
 * `entries` is the journal. `main_chain` is how far it has followed the main chain: the highest row is the block that was
 * told of last. `pool` holds the transactions that were told of as waiting. `sessions` has a row for each start: numbers
 * above `before` and below `first` were never given.
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

/** How the file is opened; `firstAfter` is what a new one counts from. */
export function journalOptions(directory: string, mode: 'read' | 'write', firstAfter = 0): DatabaseOptions {
  return {
    file: journalFile(directory),
    title: 'event journal',
    option: '--data-dir',
    applicationId: APPLICATION_ID,
    mode,
    settings: { autoVacuum: 'incremental' },
    migrations: [(connection) => void connection.exec(SCHEMA)],
    onCreate: (connection) => {
      const journal = randomBytes(16).toString('hex');
      putState(connection, { journal, last: firstAfter, keptAfter: firstAfter });
    },
  };
}

export function putState(connection: SqliteConnection, state: JournalState): void {
  const { journal, last, keptAfter } = state;
  connection
    .prepare('INSERT OR REPLACE INTO state VALUES (0, ?, ?, ?, ?)')
    .run(journal, last, keptAfter, stateChecksum(state));
}

/** The small number that stands for a topic. It must never change: there are files that hold it. */
export function topicNumber(topic: JournalTopic): number {
  return JOURNAL_TOPICS.indexOf(topic);
}
