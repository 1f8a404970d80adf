import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  FileInaccessible,
  FileMissing,
  NotOurFile,
  openConnection,
  openDatabase,
  SqliteConnection,
  SqliteFileError,
  WrongSchemaVersion,
} from '../src';
import { cleanUp, closing, fresh } from './support/folder';
import { HISTORY, journal, JOURNAL_ID } from './support/journal';
import { contents, looking, pragma } from './support/rows';

afterEach(cleanUp);

test('a new database has its id, the whole schema and its first rows', () => {
  const file = fresh('journal.sqlite');
  const database = openDatabase(
    journal(file, { onCreate: (connection) => connection.exec("INSERT INTO entries (text) VALUES ('first')") }),
  );
  expect(database.openReader().prepare('SELECT text FROM entries').all()).toEqual([{ text: 'first' }]);
  database.close();
  database.close();
  expect(readdirSync(dirname(file)).sort()).toEqual([
    'journal.sqlite',
    'journal.sqlite-control',
    'journal.sqlite.lock',
  ]);
  looking(file, (connection) => {
    expect(pragma(connection, 'application_id')).toBe(JOURNAL_ID);
    expect(pragma(connection, 'user_version')).toBe(HISTORY.length);
  });
});

test('the lock file may have another path', () => {
  const file = fresh('journal.sqlite');
  closing(openDatabase(journal(file, { lockFile: join(dirname(file), 'guard') })));
  expect(readdirSync(dirname(file))).toContain('guard');
  expect(readdirSync(dirname(file))).not.toContain('journal.sqlite.lock');
});

test('a new file is created completely or not at all', () => {
  const file = fresh('journal.sqlite');
  const onCreate = (): void => {
    throw new Error('no first rows today');
  };
  expect(() => openDatabase(journal(file, { onCreate }))).toThrow('no first rows today');
  expect(() => openDatabase(journal(file, { mode: 'read' }))).toThrow(FileMissing);
  looking(file, (connection) => {
    expect(connection.prepare('SELECT * FROM sqlite_schema').all()).toEqual([]);
    expect(pragma(connection, 'application_id')).toBe(0);
    expect(pragma(connection, 'user_version')).toBe(0);
  });
  openDatabase(journal(file)).close();
  closing(openDatabase(journal(file, { mode: 'read' })));
});

test('a missing file is an error for reading and without `create`, and nothing is created', () => {
  const file = fresh('journal.sqlite');
  for (const options of [journal(file, { mode: 'read' }), journal(file, { create: false })]) {
    expect(() => openDatabase(options)).toThrow(FileMissing);
    expect(() => openDatabase(options)).toThrow(`there is no journal at ${file}`);
  }
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('a file whose creation was interrupted is missing for readers and new for a writer', () => {
  const file = fresh('journal.sqlite');
  writeFileSync(file, '');
  expect(() => openDatabase(journal(file, { mode: 'read' }))).toThrow(FileMissing);
  openConnection(journal(file)).close();
  expect(() => openDatabase(journal(file, { mode: 'read' }))).toThrow(FileMissing);
  openDatabase(journal(file, { create: false })).close();
});

/** Files of other origin, each with the reason in the error. */
const FOREIGN: [what: string, make: (file: string) => void, reason: RegExp][] = [
  [
    'of another program',
    (file) => editing(file, 'PRAGMA application_id = 7; CREATE TABLE addresses (id INTEGER)'),
    /written by another program/,
  ],
  ['without a mark', (file) => editing(file, 'CREATE TABLE addresses (id INTEGER)'), /written by another program/],
  ['marked, but without tables', (file) => editing(file, 'PRAGMA application_id = 7'), /written by another program/],
  ['of text', (file) => writeFileSync(file, 'not a database at all '.repeat(50)), /file is not a database/],
];

function editing(file: string, sql: string): void {
  const connection = new SqliteConnection(file);
  connection.exec(sql);
  connection.close();
}

test.each(FOREIGN)('reports a file %s and does not change it', (_, make, reason) => {
  const file = fresh('journal.sqlite');
  make(file);
  const before = readFileSync(file);
  for (const mode of ['read', 'write'] as const) {
    expect(() => openDatabase(journal(file, { mode }))).toThrow(NotOurFile);
    expect(() => openDatabase(journal(file, { mode }))).toThrow(reason);
    expect(() => openDatabase(journal(file, { mode }))).toThrow(`${file} is not the journal it should be`);
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test('a file that `identify` rejects is not changed, and released', () => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file, { migrations: HISTORY.slice(0, 1) })).close();
  const before = contents(file);
  class Stranger extends Error {}
  for (const mode of ['read', 'write'] as const) {
    const identify = (): void => {
      throw new Stranger();
    };
    const migrations = HISTORY.slice(0, 1);
    expect(() => openDatabase(journal(file, { mode, identify, migrations }))).toThrow(Stranger);
    const requesting = (connection: SqliteConnection): void => void connection.prepare('SELECT * FROM nowhere').get();
    expect(() => openDatabase(journal(file, { mode, identify: requesting, migrations }))).toThrow(NotOurFile);
  }
  expect(contents(file)).toEqual(before);
  openDatabase(journal(file)).close();
});

test('rejects a newer schema with its version, an older one only for reading', () => {
  const file = fresh('journal.sqlite');
  const first = { migrations: HISTORY.slice(0, 1) };
  openDatabase(journal(file, { migrations: HISTORY.slice(0, 2) })).close();
  const before = contents(file);
  for (const mode of ['read', 'write'] as const) {
    expect(() => openDatabase(journal(file, { mode, ...first }))).toThrow(WrongSchemaVersion);
    expect(() => openDatabase(journal(file, { mode, ...first }))).toThrow(
      `the journal ${file} has schema version 2, this program reads 1: it was written by a newer program`,
    );
  }
  expect(() => openDatabase(journal(file, { mode: 'read' }))).toThrow(WrongSchemaVersion);
  expect(() => openDatabase(journal(file, { mode: 'read' }))).toThrow(
    /2, this program reads 3: open it for writing first/,
  );
  expect(contents(file)).toEqual(before);
  openDatabase(journal(file)).close();
  openDatabase(journal(file, { mode: 'read' })).close();
});

test.each([
  [0, 'it has tables and no schema version'],
  [-1, 'its schema version is -1'],
])('tables with a schema version of %d are rejected, and the files are not changed', (version, reason) => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file)).close();
  editing(file, `PRAGMA user_version = ${String(version)}`);
  const before = contents(file);
  for (const mode of ['read', 'write'] as const) {
    expect(() => openDatabase(journal(file, { mode }))).toThrow(NotOurFile);
    expect(() => openDatabase(journal(file, { mode }))).toThrow(`${file} is not the journal it should be: ${reason}`);
  }
  expect(contents(file)).toEqual(before);
});

test('reports a path that cannot be written, with the reason', () => {
  const folder = fresh();
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'taken'));
  for (const file of [join(folder, 'file', 'journal'), join(folder, 'none', 'journal'), join(folder, 'taken')]) {
    expect(() => openDatabase(journal(file))).toThrow(FileInaccessible);
    expect(() => openDatabase(journal(file))).toThrow(`cannot use the journal ${file}: `);
  }
  expect(() => openDatabase(journal(join(folder, 'taken'), { mode: 'read' }))).toThrow(FileInaccessible);
});

// Permissions do not bind the superuser.
(process.getuid?.() === 0 ? test.skip : test)('a folder without write permission is named', () => {
  const folder = fresh();
  chmodSync(folder, 0o500);
  expect(() => openDatabase(journal(join(folder, 'journal')))).toThrow(FileInaccessible);
  chmodSync(folder, 0o700);
});

test('errors contain the file and the code of their class', () => {
  const file = fresh('journal.sqlite');
  try {
    openDatabase(journal(file, { mode: 'read' }));
    throw new Error('no error');
  } catch (error) {
    expect(error).toBeInstanceOf(SqliteFileError);
    expect(error).toMatchObject({ name: 'FileMissing', file });
  }
});

test('readers read commits, never wait for the writer, and are closed with the database', () => {
  const database = openDatabase(journal(fresh('journal.sqlite')));
  const reader = database.openReader();
  const count = reader.prepare<[], [number]>('SELECT count(*) FROM entries').raw(true);
  const insert = database.connection.prepare('INSERT INTO entries (text) VALUES (?)');
  database.connection.exec('BEGIN IMMEDIATE');
  insert.run('one');
  expect(count.get()).toEqual([0]);
  database.connection.exec('COMMIT');
  reader.exec('BEGIN');
  expect(count.get()).toEqual([1]);
  insert.run('two');
  expect(count.get()).toEqual([1]);
  database.close();
  expect(reader.open).toBe(false);
  expect(database.connection.open).toBe(false);
});

test('a close beside a reader of an old state loses nothing: the log is copied at the end of the reader', () => {
  const file = fresh('journal.sqlite');
  const database = openDatabase(journal(file));
  const reader = closing(openDatabase(journal(file, { mode: 'read' })));
  reader.connection.exec('BEGIN');
  reader.connection.prepare('SELECT * FROM entries').all();
  database.connection.exec("INSERT INTO entries (text) VALUES ('one')");
  database.close();
  reader.close();
  expect(looking(file, (connection) => connection.prepare('SELECT text FROM entries').all())).toEqual([
    { text: 'one' },
  ]);
  expect(readdirSync(dirname(file)).sort()).toEqual([
    'journal.sqlite',
    'journal.sqlite-control',
    'journal.sqlite.lock',
  ]);
});

test('closing truncates the log also while a reader is open', () => {
  const file = fresh('journal.sqlite');
  const database = openDatabase(journal(file));
  closing(openDatabase(journal(file, { mode: 'read' })));
  database.connection.exec("INSERT INTO entries (text) VALUES ('one')");
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  database.close();
  expect(statSync(`${file}-wal`).size).toBe(0);
});

test('a read-only file is not opened for writing', () => {
  const file = fresh('journal.sqlite');
  const writer = openDatabase(journal(file));
  // An open reader retains the log, and SQLite opens a file with a log without a write.
  closing(openDatabase(journal(file, { mode: 'read' })));
  writer.close();
  for (const name of readdirSync(dirname(file))) chmodSync(join(dirname(file), name), 0o444);
  chmodSync(dirname(file), 0o555);
  asNobody(() => expect(() => openDatabase(journal(file))).toThrow(FileInaccessible));
  chmodSync(dirname(file), 0o700);
});

/** Runs `work` as an unprivileged user, because permissions do not apply to root. */
function asNobody(work: () => void): void {
  const NOBODY = 65_534;
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(NOBODY);
  try {
    work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}
