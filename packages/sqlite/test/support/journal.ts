import type { DatabaseOptions, Migration } from '../../src';

/** The letters JRNL. */
export const JOURNAL_ID = 0x4a524e4c;

/** Three versions of a schema; the last one writes the length of each text beside it. */
export const HISTORY: readonly Migration[] = [
  (connection) =>
    connection.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, text TEXT NOT NULL, length INTEGER) STRICT'),
  (connection) => connection.exec('CREATE TABLE authors (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID'),
  (connection) => connection.exec('UPDATE entries SET length = coalesce(length, 0) + length(text)'),
];

/** A database such as a service would have beside its main one. */
export function journal(file: string, more: Partial<DatabaseOptions> = {}): DatabaseOptions {
  return { file, title: 'journal', applicationId: JOURNAL_ID, mode: 'write', migrations: HISTORY, ...more };
}

/** The same at version 2, with `count` entries. */
export function oldJournal(file: string, count: number): DatabaseOptions {
  return journal(file, {
    migrations: HISTORY.slice(0, 2),
    onCreate: (connection) => {
      const insert = connection.prepare('INSERT INTO entries (text) VALUES (?)');
      for (let i = 1; i <= count; i++) insert.run('x'.repeat(i % 7));
    },
  });
}
