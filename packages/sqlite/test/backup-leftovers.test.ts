import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backupDatabase, FileLocked, openDatabase, takeWriteLock } from '../src';
import { cleanUp, fresh } from './support/folder';
import { journal, JOURNAL_ID } from './support/journal';

/* Temporary files of killed backups, and their removal. */

afterEach(cleanUp);

function source(): string {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file)).close();
  return file;
}

const options = (file: string, to: string) => ({ file, title: 'journal', applicationId: JOURNAL_ID, to });

test('the next backup of the same name removes leftovers of killed ones, and nothing else', async () => {
  const to = fresh('copy.sqlite');
  const folder = dirname(to);
  const left = ['', '-journal', '-wal', '-shm'].map((ending) => `.copy.sqlite.0123456789ab.tmp${ending}`);
  const others = ['.other.sqlite.0123456789ab.tmp', '.copy.sqlite.x.tmp', '.copy.sqlite.0123456789ab.tmp.bak'];
  for (const name of [...left, ...others, '.copy.sqlite.lock']) writeFileSync(join(folder, name), '');
  await backupDatabase(options(source(), to));
  expect(readdirSync(folder).sort()).toEqual([...others, 'copy.sqlite'].sort());
});

test('rejects a second concurrent backup to one file', async () => {
  const to = fresh('copy.sqlite');
  const lock = takeWriteLock(join(dirname(to), `.${basename(to)}.lock`), { file: to, title: 'backup' });
  writeFileSync(join(dirname(to), '.copy.sqlite.0123456789ab.tmp'), '');
  await expect(backupDatabase(options(source(), to))).rejects.toThrow(FileLocked);
  lock.release();
  expect(readdirSync(dirname(to)).sort()).toEqual(['.copy.sqlite.0123456789ab.tmp', '.copy.sqlite.lock']);
});

test('a copy that the check of the caller rejects does not get its name', async () => {
  const to = fresh('copy.sqlite');
  const check = (): void => {
    throw new Error('the check failed');
  };
  await expect(backupDatabase({ ...options(source(), to), check })).rejects.toThrow('the check failed');
  expect(readdirSync(dirname(to))).toEqual([]);
});
