import { readFileSync, statSync } from 'node:fs';
import type { SqliteDatabase } from '../src';
import { roundsAhead } from '../src/log-scan';
import { crashed } from './support/crash';
import { cleanUp, fresh } from './support/folder';
import { add, entriesOf, open } from './support/sessions';

/* Truncation of the write-ahead log during a session. The next open accepts the files of a kill at any time. */

afterEach(cleanUp);

const sizeOfLog = (file: string): number => statSync(`${file}-wal`).size;

function session(): { file: string; database: SqliteDatabase } {
  const file = fresh('journal.sqlite');
  const database = open(file);
  add(database, 100);
  return { file, database };
}

test('leaves an empty log, and later commits are durable', () => {
  const { file, database } = session();
  expect(sizeOfLog(file)).toBeGreaterThan(0);
  expect(database.cutLog()).toBe(true);
  expect(sizeOfLog(file)).toBe(0);
  expect(readFileSync(`${file}-control`, 'latin1')).toContain('copied');
  expect(database.cutLog()).toBe(true);
  add(database, 5);
  expect(readFileSync(`${file}-control`, 'latin1')).toContain('needed');
  expect(entriesOf(database)).toBe(105);
});

test.each([0, 1, 2, 40])('after a kill %i commits later no commit is lost', (commits) => {
  const { file, database } = session();
  database.cutLog();
  add(database, commits);
  const left = open(crashed(file, fresh('left')));
  expect(entriesOf(left)).toBe(100 + commits);
});

test('a reader of an old state prevents the truncation, and a kill loses nothing', () => {
  const { file, database } = session();
  const reader = database.openReader();
  reader.exec('BEGIN');
  expect(reader.prepare<[], [number]>('SELECT count(*) FROM entries').raw(true).get()).toEqual([100]);
  add(database, 20);
  expect(database.cutLog()).toBe(false);
  expect(sizeOfLog(file)).toBeGreaterThan(0);
  expect(entriesOf(open(crashed(file, fresh('left'))))).toBe(120);
  reader.exec('COMMIT');
  expect(database.cutLog()).toBe(true);
  expect(database.connection.pragma('busy_timeout', { simple: true })).toBe(5000);
});

test('the truncation does not wait for a reader of the current state', () => {
  const { database } = session();
  const { connection } = database;
  const reader = database.openReader();
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM entries').get();
  const timeouts: unknown[] = [];
  const pragma = connection.pragma.bind(connection);
  jest.spyOn(connection, 'pragma').mockImplementation((source, options) => {
    if (source === 'wal_checkpoint(TRUNCATE)') timeouts.push(pragma('busy_timeout', { simple: true }));
    return pragma(source, options);
  });
  expect(database.cutLog()).toBe(false);
  expect(timeouts).toEqual([0]);
});

/** Checkpoint sequence number, first salt and second salt. */
function round(sequence: number, salt: number, random: string): string {
  return `${sequence.toString(16).padStart(8, '0')}${salt.toString(16).padStart(8, '0')}${random}`;
}

test('the rounds of a log add the same number to the sequence number and to the first salt', () => {
  const before = round(5, 0xfffffffe, 'aaaaaaaa');
  expect(roundsAhead(before, before)).toBe(0);
  expect(roundsAhead(before, round(8, 1, 'bbbbbbbb'))).toBe(3);
  expect(roundsAhead(before, round(4, 0xfffffffd, 'bbbbbbbb'))).toBe(-1);
  // The salts of another log.
  expect(roundsAhead(before, round(8, 7, 'bbbbbbbb'))).toBeUndefined();
  expect(roundsAhead(before, round(5, 0xfffffffe, 'bbbbbbbb'))).toBeUndefined();
  expect(roundsAhead(before, round(5, 1, 'aaaaaaaa'))).toBeUndefined();
});
