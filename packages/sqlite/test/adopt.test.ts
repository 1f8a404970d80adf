import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  adoptDatabase,
  backupDatabase,
  FileLocked,
  FileMissing,
  NotAdopted,
  NotOurFile,
  openDatabase,
  WrongLog,
} from '../src';
import { cleanUp, fresh } from './support/folder';
import { journal, JOURNAL_ID } from './support/journal';
import { add, closed, earlyCopy, entriesOf, folderState, killed, open, SHORT } from './support/sessions';

afterEach(cleanUp);

const COMMAND = { adoptCommand: 'program adopt' };

const adopt = (file: string): void => adoptDatabase(journal(file, { ...SHORT, ...COMMAND }));

const idOf = (file: string): string => readFileSync(`${file}-control`, 'latin1').split(' ')[3] ?? '';

function copyOf(file: string): string {
  const copy = fresh('journal.sqlite');
  copyFileSync(file, copy);
  return copy;
}

test('a copy is readable, rejected for writing without a change, and writable with a new id after an adoption', () => {
  const file = closed(5);
  const copy = copyOf(file);
  const reader = open(copy, { ...COMMAND, mode: 'read' });
  expect(entriesOf(reader)).toBe(15);
  reader.close();
  const before = folderState(dirname(copy));
  expect(() => open(copy, COMMAND)).toThrow(NotAdopted);
  expect(() => open(copy, COMMAND)).toThrow(
    `the journal ${copy} was copied or replaced: there is no control file. To use it here, run: program adopt ${copy}`,
  );
  expect(folderState(dirname(copy))).toEqual(before);
  adopt(copy);
  const database = open(copy, COMMAND);
  expect([entriesOf(database), database.isCleanStop]).toEqual([15, true]);
  expect(idOf(copy)).toMatch(/^[\da-f]{32}$/);
  expect(idOf(copy)).not.toBe(idOf(file));
});

test('adopts an older copy that replaced the database', () => {
  const file = closed(5);
  const early = readFileSync(file);
  const database = open(file);
  add(database, 1);
  database.close();
  writeFileSync(file, early);
  expect(() => open(file, COMMAND)).toThrow('the database is older than the control file');
  adopt(file);
  expect(entriesOf(open(file, COMMAND))).toBe(15);
});

test('the log of a killed session is applied, the log of another database is not', () => {
  const file = killed(5, 5);
  rmSync(`${file}-control`);
  adopt(file);
  expect(entriesOf(open(file, COMMAND))).toBe(10);

  const other = killed(5, 5);
  copyFileSync(`${killed(5, 5)}-wal`, `${other}-wal`);
  for (const damage of [
    () => undefined,
    () => writeFileSync(`${other}-control`, 'x'),
    () => rmSync(`${other}-control`),
  ]) {
    damage();
    const before = folderState(dirname(other));
    expect(() => adopt(other)).toThrow(WrongLog);
    expect(folderState(dirname(other))).toEqual(before);
  }
  // The control file alone does not prove that a log belongs to an older file.
  const older = killed(5, 5);
  writeFileSync(older, earlyCopy(older));
  expect(() => adopt(older)).toThrow(WrongLog);
});

test('rejects a damaged page in one line; the database and its control file are not changed', () => {
  const copy = copyOf(closed(30));
  const bytes = readFileSync(copy);
  bytes.fill(0xa5, bytes.length - 3000, bytes.length - 2000);
  writeFileSync(copy, bytes);
  const refusal = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      expect(error).toBeInstanceOf(NotOurFile);
      return (error as Error).message;
    }
    throw new Error('nothing failed');
  };
  for (const work of [() => adopt(copy), () => open(copy)]) {
    expect(refusal(work)).toMatch(/^.*journal\.sqlite: page \d+ does not fit its checksum$/);
  }
  expect(readFileSync(copy).equals(bytes)).toBe(true);
  expect(() => readFileSync(`${copy}-control`)).toThrow('ENOENT');
});

test('reports a missing database, and one in use', () => {
  const file = fresh('journal.sqlite');
  expect(() => adopt(file)).toThrow(FileMissing);
  const database = open(file, COMMAND);
  expect(() => adopt(file)).toThrow(FileLocked);
  add(database, 1);
});

test('a database without a command is adopted by the next open for writing', () => {
  const copy = copyOf(closed(5));
  const database = open(copy);
  expect(entriesOf(database)).toBe(15);
  database.close();
  expect(open(copy).isCleanStop).toBe(true);
});

test('a backup opens without an adoption, also if a command adopts, and has a new id', async () => {
  const file = closed(5);
  const to = fresh('copy.sqlite');
  const options = { file, title: 'journal', applicationId: JOURNAL_ID, to, ...COMMAND };
  await backupDatabase(options);
  expect(idOf(to)).not.toBe(idOf(file));
  const database = open(to, COMMAND);
  expect(entriesOf(database)).toBe(15);
  database.close();
  copyFileSync(`${file}-control`, `${to}-control`);
  expect(() => openDatabase(journal(to, { ...SHORT, ...COMMAND, mode: 'read' }))).toThrow(
    'the control file belongs to another database',
  );
});
