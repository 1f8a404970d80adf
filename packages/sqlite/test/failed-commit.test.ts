import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { openDatabase, type SqliteDatabase } from '../src';
import { SqliteConnection } from '../src/library';
import { crashed } from './support/crash';
import { closing, cleanUp, fresh } from './support/folder';
import { HISTORY, journal } from './support/journal';

/*
 * A commit that fails in the sync of the write-ahead log is rolled back, but its frames stay valid in the log: after a kill the next
 * open would apply them.
 */

afterEach(cleanUp);

const INSERT = 'INSERT INTO entries (text) VALUES (?)';

const open = (file: string): SqliteDatabase =>
  closing(openDatabase(journal(file, { migrations: HISTORY.slice(0, 2) })));

function add(database: SqliteDatabase, text: string): void {
  database.connection.prepare(INSERT).run(text);
  database.committed();
}

const entries = ({ connection }: SqliteDatabase): unknown[] =>
  connection.prepare('SELECT text FROM entries ORDER BY id').raw(true).all().flat();

/** Writes the frames of a commit into the log of an open database, which does not count them. */
function commitUnseen(file: string): void {
  const twin = crashed(file, fresh('twin'));
  const connection = new SqliteConnection(twin, {});
  connection.prepare(INSERT).run('failed');
  // In place: another file would not be the open log.
  writeFileSync(`${file}-wal`, readFileSync(`${twin}-wal`), { flag: 'r+' });
  connection.close();
}

/** Copies the log into the file and begins its next round with a transaction that is rolled back. */
function beginRound({ connection }: SqliteDatabase): void {
  connection.pragma('wal_checkpoint(PASSIVE)');
  connection.pragma('cache_size = 1');
  connection.exec('BEGIN');
  // More pages than the cache holds, so that SQLite writes some into the log.
  for (let i = 0; i < 50; i++) connection.prepare(INSERT).run('x'.repeat(4000));
  connection.exec('ROLLBACK');
}

const afterKill = (file: string): unknown[] => entries(open(crashed(file, fresh('left'))));

test.each([1, 3])('its frames are removed from a log with %i commits', (commits) => {
  const file = fresh('journal.sqlite');
  const database = open(file);
  const stored = Array.from({ length: commits }, (_, i) => `entry ${i}`);
  for (const text of stored) add(database, text);
  commitUnseen(file);
  expect(afterKill(file)).toEqual([...stored, 'failed']);
  database.dropFailedCommit();
  expect(afterKill(file)).toEqual(stored);
  add(database, 'later');
  expect(afterKill(file)).toEqual([...stored, 'later']);
});

test('its frames are removed from a log that begins with them', () => {
  const file = fresh('journal.sqlite');
  const database = open(file);
  add(database, 'entry');
  beginRound(database);
  commitUnseen(file);
  expect(afterKill(file)).toEqual(['entry', 'failed']);
  database.dropFailedCommit();
  expect(afterKill(file)).toEqual(['entry']);
});

test('its frames are removed when the log stays after a close', () => {
  const file = fresh('journal.sqlite');
  const database = open(file);
  const reader = closing(new SqliteConnection(file, { readonly: true }));
  reader.exec('BEGIN; SELECT * FROM entries');
  add(database, 'entry');
  commitUnseen(file);
  database.close();
  expect(afterKill(file)).toEqual(['entry']);
});

test('a log without such frames is not changed', () => {
  const file = fresh('journal.sqlite');
  const database = open(file);
  add(database, 'entry');
  const before = readFileSync(`${file}-wal`);
  database.dropFailedCommit();
  expect(readFileSync(`${file}-wal`).equals(before)).toBe(true);
  database.cutLog();
  database.dropFailedCommit();
  expect(afterKill(file)).toEqual(['entry']);
});

test('a log whose next round could not be begun is not changed', () => {
  const file = fresh('journal.sqlite');
  const database = open(file);
  add(database, 'entry');
  const old = fresh('old');
  copyFileSync(`${file}-wal`, old);
  beginRound(database);
  copyFileSync(old, `${file}-wal`);
  database.dropFailedCommit();
  expect(readFileSync(`${file}-wal`).equals(readFileSync(old))).toBe(true);
  expect(afterKill(file)).toEqual(['entry']);
});
