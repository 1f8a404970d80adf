import {
  closeSync,
  copyFileSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  backupDatabase,
  BackupFailed,
  FileInaccessible,
  FileMissing,
  NotOurFile,
  openDatabase,
  type BackupOptions,
} from '../src';
import { runProgram } from './support/child';
import { cleanUp, closing, fresh } from './support/folder';
import { journal, JOURNAL_ID } from './support/journal';
import { contents, looking, pragma } from './support/rows';

afterEach(cleanUp);

/** A journal of some hundred pages. */
function filled(file = fresh('journal.sqlite'), count = 1000): string {
  const { connection, close } = handles(file);
  const insert = connection.prepare('INSERT INTO entries (text) VALUES (?)');
  connection.transaction(() => {
    for (let i = 0; i < count; i++) insert.run(`${i} `.repeat(100));
  })();
  close();
  return file;
}

function handles(file: string) {
  const database = openDatabase(journal(file));
  return { connection: database.connection, close: () => database.close() };
}

function options(file: string, to: string, more: Partial<BackupOptions> = {}): BackupOptions {
  return { file, title: 'journal', applicationId: JOURNAL_ID, to, ...more };
}

test('a copy has the content of the original, and no other files beside it', async () => {
  const file = filled();
  const to = fresh('copy.sqlite');
  const seen: [number, number][] = [];
  await backupDatabase(options(file, to, { pagesPerStep: 10, onProgress: (...at) => seen.push(at) }));
  expect(readdirSync(dirname(to))).toEqual(['copy.sqlite']);
  expect(contents(to)).toEqual(contents(file));
  closing(openDatabase(journal(to, { mode: 'read' }))).close();
  closing(openDatabase(journal(to)));
  const total = looking(file, (connection) => Number(pragma(connection, 'page_count')));
  expect(seen.length).toBeGreaterThan(total / 10);
  expect(seen[seen.length - 1]).toEqual([total, total]);
  seen.reduce(([before], [copied]) => {
    expect(copied - before).toBeGreaterThanOrEqual(0);
    expect(copied - before).toBeLessThanOrEqual(10);
    return [copied, total];
  });
});

test('yields to the event loop between steps', async () => {
  const file = filled();
  let turns = 0;
  let running = true;
  const turn = (): void => {
    turns++;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await backupDatabase(options(file, fresh('copy.sqlite'), { pagesPerStep: 5 }));
  running = false;
  const pages = looking(file, (connection) => Number(pragma(connection, 'page_count')));
  expect(turns).toBeGreaterThan(pages / 5);
});

test('a concurrent writer does not wait, and its commits are not in the copy, which has the state at the start', async () => {
  const file = filled();
  const before = contents(file);
  const { connection, close } = handles(file);
  const insert = connection.prepare('INSERT INTO entries (text) VALUES (?)');
  const to = fresh('copy.sqlite');
  let steps = 0;
  const onProgress = (): void => {
    // A copy that restarts after each commit would never end.
    if (++steps > 1000) throw new Error('the copy does not end');
    insert.run('written meanwhile '.repeat(300));
  };
  await backupDatabase(options(file, to, { pagesPerStep: 5, onProgress }));
  const pages = looking(to, (copied) => Number(pragma(copied, 'page_count')));
  expect(steps).toBeLessThan(pages / 5 + 5);
  expect(contents(to)).toEqual(before);
  expect(connection.prepare('SELECT count(*) AS all_rows FROM entries').get()).toEqual({ all_rows: 1000 + steps });
  close();
});

test('with a concurrent writer in another process a copy has complete commits only', async () => {
  const file = filled(undefined, 200);
  const writer = runProgram('write.ts', file);
  await writer.line();
  const copies = [fresh('1.sqlite'), fresh('2.sqlite'), fresh('3.sqlite')];
  for (const to of copies) {
    await writer.line();
    await backupDatabase(options(file, to, { pagesPerStep: 3, signal: AbortSignal.timeout(300_000) }));
  }
  writer.kill();
  await writer.ended;
  let last = 200;
  for (const to of copies) {
    const [entries = 0, authors] = looking(
      to,
      (connection) =>
        connection
          .prepare<[], number[]>('SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM authors)')
          .raw(true)
          .get() ?? [],
    );
    expect(entries).toBe(200 + (authors ?? NaN));
    expect(entries).toBeGreaterThan(last);
    last = entries;
  }
});

test('an existing file is not overwritten, nor one created during the backup', async () => {
  const file = filled();
  const to = fresh('copy.sqlite');
  writeFileSync(to, 'precious');
  await expect(backupDatabase(options(file, to))).rejects.toThrow(BackupFailed);
  await expect(backupDatabase(options(file, to))).rejects.toThrow(`${to} exists already`);
  expect(readFileSync(to, 'utf8')).toBe('precious');
  expect(readdirSync(dirname(to))).toEqual(['copy.sqlite']);

  const later = fresh('copy.sqlite');
  const onProgress = (): void => writeFileSync(later, 'quicker');
  await expect(backupDatabase(options(file, later, { onProgress }))).rejects.toThrow(/exists already/);
  expect(readFileSync(later, 'utf8')).toBe('quicker');
  expect(readdirSync(dirname(later))).toEqual(['copy.sqlite']);
  await expect(backupDatabase(options(file, file))).rejects.toThrow(/exists already/);
});

test('a signal before the start, during the copy or at the end leaves nothing behind', async () => {
  const file = filled();
  const pages = looking(file, (connection) => Number(pragma(connection, 'page_count')));
  for (const at of [0, Math.floor(pages / 2), pages]) {
    const to = fresh('copy.sqlite');
    const stop = new AbortController();
    const reason = new Error('enough');
    const onProgress = (copied: number): void => void (copied >= at && stop.abort(reason));
    if (at === 0) stop.abort(reason);
    const work = backupDatabase(options(file, to, { pagesPerStep: 5, onProgress, signal: stop.signal }));
    await expect(work).rejects.toBe(reason);
    expect(readdirSync(dirname(to))).toEqual([]);
  }
});

test('reports an original that is missing, empty or of another program', async () => {
  const to = fresh('copy.sqlite');
  await expect(backupDatabase(options(fresh('none.sqlite'), to))).rejects.toThrow(FileMissing);
  const empty = fresh('empty.sqlite');
  writeFileSync(empty, '');
  await expect(backupDatabase(options(empty, to))).rejects.toThrow(FileMissing);
  await expect(backupDatabase(options(filled(), to, { applicationId: 5 }))).rejects.toThrow(NotOurFile);
  expect(readdirSync(dirname(to))).toEqual([]);
});

test('reports a target that cannot be written', async () => {
  const file = filled();
  await expect(backupDatabase(options(file, join(fresh(), 'none', 'copy.sqlite')))).rejects.toThrow(FileInaccessible);
  await expect(backupDatabase(options(file, '/proc/copy.sqlite'))).rejects.toThrow(FileInaccessible);
  await expect(backupDatabase(options(file, '/proc/copy.sqlite'))).rejects.toThrow(/the backup of the journal/);
});

test('a damaged original leads to no backup', async () => {
  const file = filled();
  const damaged = fresh('journal.sqlite');
  copyFileSync(file, damaged);
  const descriptor = openSync(damaged, 'r+');
  writeSync(descriptor, Buffer.alloc(64, 0xa5), 0, 64, 4096 * 20);
  closeSync(descriptor);
  const to = fresh('copy.sqlite');
  await expect(backupDatabase(options(damaged, to))).rejects.toThrow(BackupFailed);
  await expect(backupDatabase(options(damaged, to))).rejects.toThrow(/the backup .* was not kept: /);
  expect(readdirSync(dirname(to))).toEqual([]);
});

test('of several backups with the same name one succeeds, and the others report that it exists or is being written', async () => {
  const file = filled();
  const to = fresh('copy.sqlite');
  const ends = await Promise.allSettled(Array.from({ length: 4 }, () => backupDatabase(options(file, to))));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const end of ends) if (end.status === 'rejected') expect(String(end.reason)).toMatch(/in use|exists already/);
  expect(readdirSync(dirname(to))).toEqual(['copy.sqlite']);
  expect(contents(to)).toEqual(contents(file));
});

test('a dangling link is not overwritten', async () => {
  const to = fresh('copy.sqlite');
  symlinkSync('nowhere', to);
  await expect(backupDatabase(options(filled(), to))).rejects.toThrow(/exists already/);
  expect(lstatSync(to).isSymbolicLink()).toBe(true);
  expect(readdirSync(dirname(to))).toEqual(['copy.sqlite']);
});

test('reports a folder that is a file, and a name too long for the copy', async () => {
  const file = filled();
  for (const to of [join(file, 'copy'), fresh('n'.repeat(250))])
    await expect(backupDatabase(options(file, to))).rejects.toThrow(FileInaccessible);
});
