import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileVanished, openDatabase, type SqliteDatabase } from '../src';
import { cleanUp, closing, fresh } from './support/folder';
import { journal } from './support/journal';

afterEach(cleanUp);

let file: string;
let database: SqliteDatabase;
beforeEach(() => {
  file = join(fresh('inner'), 'journal.sqlite');
  mkdirSync(dirname(file), { recursive: true });
  database = closing(openDatabase(journal(file)));
  database.checkInPlace();
});

const insert = (): unknown => database.connection.prepare("INSERT INTO entries (text) VALUES ('x')").run();

test('a deleted folder is an error, although writes still succeed', () => {
  rmSync(dirname(file), { recursive: true });
  insert();
  expect(() => database.checkInPlace()).toThrow(FileVanished);
  expect(() => database.checkInPlace()).toThrow(`${file} of the open journal was removed or moved`);
});

test('a moved folder is an error', () => {
  renameSync(dirname(file), `${dirname(file)}-elsewhere`);
  expect(() => database.checkInPlace()).toThrow(/was removed or moved/);
});

test('a replaced file is an error', () => {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
  expect(() => database.checkInPlace()).toThrow(/was replaced by another file/);
});

test('a removed log is an error', () => {
  insert();
  rmSync(`${file}-wal`);
  expect(() => database.checkInPlace()).toThrow(`${file}-wal of the open journal was removed or moved`);
});

test('a removed lock file is an error: another program could write, too', () => {
  rmSync(`${file}.lock`);
  expect(() => database.checkInPlace()).toThrow(`${file}.lock of the open journal was removed or moved`);
});

// Permissions do not bind the superuser.
(process.getuid?.() === 0 ? test.skip : test)('a folder that is no longer writable is reported', () => {
  chmodSync(dirname(file), 0o555);
  expect(() => database.checkWritable()).toThrow(/can no longer be written/);
  chmodSync(dirname(file), 0o755);
  database.checkWritable();
});
