import type { DatabaseOptions, Migration } from '../../src';

/** `JRNL` in ASCII. */
export const JOURNAL_ID = 0x4a524e4c;

/** Migrations to three schema versions; the last one fills the column `length`. */
export const HISTORY: readonly Migration[] = [
  (connection) =>
    connection.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, text TEXT NOT NULL, length INTEGER) STRICT'),
  (connection) => connection.exec('CREATE TABLE authors (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID'),
  (connection) => connection.exec('UPDATE entries SET length = coalesce(length, 0) + length(text)'),
];

/** Options of a database for tests. */
export function journal(file: string, more: Partial<DatabaseOptions> = {}): DatabaseOptions {
  return { file, title: 'journal', applicationId: JOURNAL_ID, mode: 'write', migrations: HISTORY, ...more };
}

/** Options of a journal with schema version 2 and `count` entries. */
export function oldJournal(file: string, count: number): DatabaseOptions {
  return journal(file, {
    migrations: HISTORY.slice(0, 2),
    onCreate: (connection) => {
      const insert = connection.prepare('INSERT INTO entries (text) VALUES (?)');
      for (let i = 1; i <= count; i++) insert.run('x'.repeat(i % 7));
    },
  });
}
