import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileInaccessible, FileLocked, openDatabase, takeWriteLock } from '../src';
import { runProgram } from './support/child';
import { cleanUp, closing, fresh } from './support/folder';
import { journal } from './support/journal';

afterEach(cleanUp);

test('rejects a second writer of this process, but not readers', () => {
  const file = fresh('journal.sqlite');
  const first = openDatabase(journal(file));
  expect(() => openDatabase(journal(file))).toThrow(FileLocked);
  expect(() => openDatabase(journal(file))).toThrow(`the journal ${file} is in use by another running program`);
  closing(openDatabase(journal(file, { mode: 'read' })));
  first.close();
  closing(openDatabase(journal(file)));
});

test('a writer of another process locks the file until it ends, also by a kill', async () => {
  const file = fresh('journal.sqlite');
  const first = openDatabase(journal(file));
  const refused = runProgram('hold.ts', file);
  expect(await refused.line()).toBe('FileLocked');
  expect(await refused.ended).toBe(1);
  first.close();
  for (const end of ['kill', 'stop'] as const) {
    const holder = runProgram('hold.ts', file);
    expect(await holder.line()).toBe('open');
    expect(() => openDatabase(journal(file))).toThrow(FileLocked);
    openDatabase(journal(file, { mode: 'read' })).close();
    holder[end]();
    expect(await holder.ended).toBe(end === 'kill' ? 'SIGKILL' : 0);
    openDatabase(journal(file)).close();
  }
});

test('the lock alone: taken once, taken again after its release', () => {
  const lockFile = fresh('guard');
  const name = { file: lockFile, title: 'store' };
  const held = takeWriteLock(lockFile, name);
  expect(() => takeWriteLock(lockFile, name)).toThrow(FileLocked);
  held.release();
  held.release();
  takeWriteLock(lockFile, name).release();
});

test('a lock file with other content is an error, and not overwritten', () => {
  const lockFile = fresh('guard');
  writeFileSync(lockFile, 'something else that is longer than a header of SQLite '.repeat(10));
  expect(() => takeWriteLock(lockFile, { file: lockFile, title: 'store' })).toThrow(FileInaccessible);
});

test('a failed open releases the file', () => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file)).close();
  expect(() => openDatabase(journal(file, { applicationId: 5 }))).toThrow('another program');
  openDatabase(journal(file)).close();
});

test('one file has one lock, through any symbolic link', () => {
  const file = fresh('journal.sqlite');
  const first = openDatabase(journal(file));
  const folder = join(dirname(file), 'elsewhere');
  mkdirSync(folder);
  for (const link of [join(dirname(file), 'link'), join(folder, 'journal.sqlite')]) {
    symlinkSync(file, link);
    expect(() => openDatabase(journal(link))).toThrow(FileLocked);
  }
  first.close();
  closing(openDatabase(journal(join(folder, 'journal.sqlite'))));
  expect(() => openDatabase(journal(file))).toThrow(FileLocked);
});

test('two writers through two names of a file exclude each other, with any name of the lock, and also for a new file', () => {
  const folder = dirname(fresh('journal.sqlite'));
  const file = join(folder, 'journal.sqlite');
  mkdirSync(join(folder, 'elsewhere'));
  const link = join(folder, 'elsewhere', 'linked.sqlite');
  symlinkSync(file, link);
  const first = openDatabase(journal(link, { lockFile: join(dirname(link), 'own.lock') }));
  expect(() => openDatabase(journal(file, { lockFile: join(folder, 'own.lock') }))).toThrow(FileLocked);
  first.close();
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['linked.sqlite']);
  expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'journal.sqlite', 'journal.sqlite-control', 'own.lock']);
  closing(openDatabase(journal(file, { lockFile: join(folder, 'own.lock') })));
  expect(() => openDatabase(journal(link, { lockFile: join(dirname(link), 'own.lock') }))).toThrow(FileLocked);
});

test('a file with a second hard link can only be opened for reading', () => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file)).close();
  const other = join(dirname(file), 'other.sqlite');
  linkSync(file, other);
  for (const name of [file, other]) {
    expect(() => openDatabase(journal(name))).toThrow(/it has 2 names \(hard links\)/);
    closing(openDatabase(journal(name, { mode: 'read' }))).close();
  }
  rmSync(other);
  closing(openDatabase(journal(file)));
});

test.each(['journal.sqlite', 'journal.sqlite-wal'])('rejects a folder or a named pipe with the name %s', (name) => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file)).close();
  const place = join(dirname(file), name);
  rmSync(place, { force: true });
  const isRefused = (): void => {
    for (const mode of ['write', 'read'] as const) {
      expect(() => openDatabase(journal(file, { mode }))).toThrow(`${place} is not a regular file`);
    }
  };
  mkdirSync(place);
  isRefused();
  rmdirSync(place);
  execFileSync('mkfifo', [place]);
  isRefused();
});

test('a reader that iterates over rows does not prevent the release of the file', () => {
  const file = fresh('journal.sqlite');
  const database = openDatabase(journal(file));
  database.connection.exec("INSERT INTO entries (text) VALUES ('a'), ('b')");
  const [first, second] = [database.openReader(), database.openReader()];
  const rows = first.prepare('SELECT text FROM entries').iterate();
  rows.next();
  expect(() => database.close()).toThrow('busy');
  expect([database.connection.open, second.open]).toEqual([false, false]);
  closing(openDatabase(journal(file)));
  rows.return?.();
  first.close();
});

test('a lock file with other content is an error with a remedy', () => {
  const file = fresh('journal.sqlite');
  writeFileSync(`${file}.lock`, 'garbage in the place of a lock '.repeat(100));
  expect(() => openDatabase(journal(file))).toThrow(FileInaccessible);
  expect(() => openDatabase(journal(file))).toThrow(
    `cannot use the journal ${file}: ${file}.lock is not a lock file. ` + 'Remove it while no program uses the journal',
  );
  rmSync(`${file}.lock`);
  closing(openDatabase(journal(file)));
});

test.each<[string, (place: string) => void]>([
  ['folder', (place) => mkdirSync(place)],
  ['named pipe', (place) => void execFileSync('mkfifo', [place])],
  ['link to itself', (place) => symlinkSync(place, place)],
])('a %s in the place of the lock file is named by the error', (_kind, make) => {
  const file = fresh('journal.sqlite');
  make(`${file}.lock`);
  expect(() => openDatabase(journal(file))).toThrow(
    `cannot use the journal ${file}: ${file}.lock is not a lock file. Remove it while no program uses the journal`,
  );
});
