import type { BatchedMigration, DatabaseOptions, Migration, WholeMigration } from '../../src';

/** The letters JRNL. */
export const JOURNAL_ID = 0x4a524e4c;

const entries: WholeMigration = {
  version: 1,
  name: 'entries',
  up: (connection) =>
    connection.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, text TEXT NOT NULL, length INTEGER) STRICT'),
};

const authors: WholeMigration = {
  version: 2,
  name: 'authors',
  up: (connection) => connection.exec('CREATE TABLE authors (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID'),
};

/** Rows that one batch of {@link lengths} fills in. */
export const BATCH = 10;

/** Writes the length of each text beside it; a row that it met twice would have twice its length. */
export const lengths: BatchedMigration = {
  version: 3,
  name: 'lengths',
  batch: (connection, cursor = 0) => {
    const from = Number(cursor);
    const count = connection.prepare<[], [number]>('SELECT count(*) FROM entries').raw(true).get()?.[0] ?? 0;
    const to = Math.min(from + BATCH, count);
    connection
      .prepare('UPDATE entries SET length = coalesce(length, 0) + length(text) WHERE id > ? AND id <= ?')
      .run(from, to);
    return { next: to < count ? to : undefined, done: to, total: count };
  },
};

/** Two short steps, then a long one. */
export const HISTORY: readonly Migration[] = [entries, authors, lengths];

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
