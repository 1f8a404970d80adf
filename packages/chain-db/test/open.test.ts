import crypto from 'node:crypto';
import {
  createIdentityTable,
  FileInaccessible,
  FileLocked,
  FileMissing,
  IncompleteFiles,
  NotOurFile,
  openConnection,
  SqliteConnection,
  WrongSchemaVersion,
} from '@wrkz/sqlite';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { EmptyDatabase, WrongNetwork, databaseFile, openChainDb } from '../src';
import { connectForReading, connectionOptions } from '../src/connection';
import { APPLICATION_ID, MIGRATIONS, PAGE_SIZE, SCHEMA_VERSION } from '../src/schema';
import { chainA } from './support/chain-a';
import { runProgram } from './support/child';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';

afterEach(cleanUp);

test('a new database is marked, empty, and in its own files', () => {
  const directory = join(freshDirectory(), 'deep', 'down');
  const db = openHere({ directory });
  expect(db.reader.height()).toBe(-1);
  expect(() => db.reader.tip()).toThrow(EmptyDatabase);
  expect(db.reader.factsRange(0, 10)).toEqual([]);
  expect(db.reader.transactionCount()).toBe(0);
  expect(db.reader.outputCount(5n)).toBe(0);
  expect(db.reader.outputCount(5n, -1)).toBe(0);
  expect(db.reader.firstHeightFrom(0)).toBeUndefined();
  expect(db.reader.floors()).toEqual({ bodies: 0, records: 0, lite: undefined });
  db.close();
  expect(readdirSync(directory).sort()).toEqual(['chain.lock', 'chain.sqlite', 'chain.sqlite-control']);
  const connection = new SqliteConnection(databaseFile(directory));
  expect(connection.pragma('application_id', { simple: true })).toBe(APPLICATION_ID);
  expect(connection.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
  expect(connection.pragma('page_size', { simple: true })).toBe(PAGE_SIZE);
  // Incremental: pages that pruning frees are returned to the file system.
  expect(connection.pragma('auto_vacuum', { simple: true })).toBe(2);
  connection.close();
});

test('each open sets write-ahead logging and full synchronisation, also for an existing file', () => {
  const db = openHere();
  const { directory } = db;
  db.close();
  for (let i = 0; i < 2; i++) {
    const connection = openConnection(connectionOptions(directory, 'write'));
    expect(connection.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(connection.pragma('synchronous', { simple: true })).toBe(2);
    connection.close();
  }
  const reading = connectForReading(directory);
  expect(reading.pragma('query_only', { simple: true })).toBe(1);
  expect(() => reading.exec('CREATE TABLE more (id INTEGER)')).toThrow();
  reading.close();
});

test('rejects a second writer in this process or another, but not readers', async () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 10));
  expect(() => openChainDb({ directory: db.directory, network: 'devnet' })).toThrow(FileLocked);
  const second = runProgram('hold.ts', db.directory);
  expect(await second.line()).toBe('FileLocked');
  expect(await second.ended).toBe(1);
  expect(openHere({ directory: db.directory, readonly: true }).reader.height()).toBe(9);

  db.close();
  const third = runProgram('hold.ts', db.directory);
  expect(await third.line()).toBe('open');
  expect(() => openChainDb({ directory: db.directory, network: 'devnet' })).toThrow(FileLocked);
  expect(openHere({ directory: db.directory, readonly: true }).reader.height()).toBe(9);
  third.process.kill('SIGKILL');
  expect(await third.ended).toBe('SIGKILL');
  expect(openHere({ directory: db.directory }).reader.height()).toBe(9);
});

test('rejects a database of another network and does not change it', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 5));
  db.close();
  const before = readFileSync(databaseFile(db.directory));
  for (const readonly of [false, true]) {
    expect(() => openChainDb({ directory: db.directory, network: 'mainnet', readonly })).toThrow(WrongNetwork);
    expect(() => openChainDb({ directory: db.directory, network: 'mainnet', readonly })).toThrow(
      /belongs to devnet, not to mainnet/,
    );
  }
  expect(readFileSync(databaseFile(db.directory)).equals(before)).toBe(true);
  expect(openHere({ directory: db.directory }).reader.height()).toBe(4);
});

test('rejects a newer schema with its version, for reading and for writing', () => {
  const db = openHere();
  db.close();
  const mark = (version: number): void => {
    const connection = new SqliteConnection(databaseFile(db.directory));
    connection.pragma(`user_version = ${version}`);
    connection.close();
  };
  mark(SCHEMA_VERSION + 1);
  for (const readonly of [false, true]) {
    expect(() => openChainDb({ directory: db.directory, network: 'devnet', readonly })).toThrow(WrongSchemaVersion);
    expect(() => openChainDb({ directory: db.directory, network: 'devnet', readonly })).toThrow(
      `has schema version ${SCHEMA_VERSION + 1}, this program reads ${SCHEMA_VERSION}: it was written by a newer program`,
    );
  }
  mark(0);
  for (const readonly of [false, true]) {
    expect(() => openChainDb({ directory: db.directory, network: 'devnet', readonly })).toThrow(
      /it has tables and no schema version/,
    );
  }
  mark(SCHEMA_VERSION);
  openHere({ directory: db.directory });
});

test('the migrations lead to the version of the schema', () => {
  expect(MIGRATIONS).toHaveLength(SCHEMA_VERSION);
});

test.each([
  [1, '0fb32ae236499937dacc9f258c4739373028e7d8d3c32551cfbd7b4a0b6911fd'],
  [2, 'fa523a3f85c3f614db92b6124cb5c312d80065668df73c0eaf4955b9a8b6fa63'],
])('the statements of schema version %d never change', (version, hash) => {
  const connection = new SqliteConnection(':memory:');
  createIdentityTable(connection);
  for (const migration of MIGRATIONS.slice(0, version)) migration(connection);
  const rows = connection
    .prepare<[], string[]>("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")
    .raw(true)
    .all();
  connection.close();
  expect(crypto.createHash('sha256').update(rows.flat().join('\n')).digest('hex')).toBe(hash);
});

test('another file is reported in the error and not changed', () => {
  const foreign = freshDirectory();
  const other = new SqliteConnection(databaseFile(foreign));
  other.exec('CREATE TABLE addresses (id INTEGER)');
  other.close();
  const text = freshDirectory();
  writeFileSync(databaseFile(text), 'not a database, but longer than one hundred bytes'.repeat(10));
  for (const directory of [foreign, text]) {
    const before = readFileSync(databaseFile(directory));
    for (const readonly of [true, false]) {
      expect(() => openChainDb({ directory, network: 'devnet', readonly })).toThrow(NotOurFile);
    }
    expect(readFileSync(databaseFile(directory)).equals(before)).toBe(true);
  }
});

test('a missing database is an error for reading and without `create`, and nothing is created', () => {
  const directory = join(freshDirectory(), 'none');
  expect(() => openChainDb({ directory, network: 'devnet', readonly: true })).toThrow(FileMissing);
  expect(() => openChainDb({ directory, network: 'devnet', create: false })).toThrow(FileMissing);
  expect(existsSync(directory)).toBe(false);
});

test('a directory that is not writable is an error', () => {
  const parent = freshDirectory();
  writeFileSync(join(parent, 'file'), '');
  expect(() => openChainDb({ directory: join(parent, 'file'), network: 'devnet' })).toThrow(FileInaccessible);
  expect(() => openChainDb({ directory: join(parent, 'file', 'below'), network: 'devnet' })).toThrow(FileInaccessible);
  expect(() => openChainDb({ directory: '/proc/chain', network: 'devnet' })).toThrow(FileInaccessible);
  mkdirSync(join(parent, 'taken', 'chain.sqlite'), { recursive: true });
  expect(() => openChainDb({ directory: join(parent, 'taken'), network: 'devnet' })).toThrow(FileInaccessible);
});

// Permissions do not bind the superuser.
(process.getuid?.() === 0 ? test.skip : test)('a directory without write permission is reported', () => {
  const directory = freshDirectory();
  chmodSync(directory, 0o500);
  expect(() => openChainDb({ directory, network: 'devnet' })).toThrow(FileInaccessible);
  chmodSync(directory, 0o700);
});

test('a file whose creation was interrupted is missing for readers and new for a writer', () => {
  const directory = freshDirectory();
  writeFileSync(databaseFile(directory), '');
  expect(() => openChainDb({ directory, network: 'devnet', readonly: true })).toThrow(FileMissing);
  openConnection(connectionOptions(directory, 'write')).close();
  expect(() => openChainDb({ directory, network: 'devnet', readonly: true })).toThrow(FileMissing);
  expect(openHere({ directory }).reader.height()).toBe(-1);
});

test('a failed open releases the directory', () => {
  const db = openHere();
  db.close();
  db.close();
  expect(() => openChainDb({ directory: db.directory, network: 'simnet' })).toThrow(WrongNetwork);
  openHere({ directory: db.directory });
});

test('errors contain directory, file and reason', () => {
  const directory = freshDirectory();
  const file = databaseFile(directory);
  const message = (readonly: boolean, create = true): string => {
    try {
      openHere({ directory, readonly, create }).close();
    } catch (error) {
      return (error as Error).message;
    }
    return 'no error';
  };
  const edit = (sql: string): void => {
    const connection = new SqliteConnection(file);
    connection.exec(sql);
    connection.close();
  };
  expect(message(true)).toBe(`there is no chain database at ${file}`);
  expect(message(false, false)).toBe(`there is no chain database at ${file}`);
  const held = openHere({ directory });
  expect(message(false)).toBe(`the chain database ${file} is in use by another running program`);
  held.close();
  edit('PRAGMA user_version = 7');
  expect(message(false)).toBe(
    `the chain database ${file} has schema version 7, this program reads 2: it was written by a newer program`,
  );
  edit('PRAGMA user_version = 0');
  for (const readonly of [true, false]) {
    expect(message(readonly)).toBe(
      `${file} is not the chain database it should be: it has tables and no schema version`,
    );
  }
  edit('PRAGMA user_version = 2; PRAGMA journal_mode = DELETE');
  expect(message(true)).toBe(
    `cannot use the chain database ${file}: SQLite did not apply the setting journal_mode = wal (it is delete)`,
  );
  edit("DELETE FROM meta WHERE key = 'network'");
  expect(message(false)).toBe(`${file} is not the chain database it should be: it names no network`);
  edit('DROP TABLE meta');
  expect(message(false)).toBe(`${file} is not the chain database it should be: no such table: meta`);
  edit('PRAGMA application_id = 1');
  expect(message(false)).toBe(`${file} is not the chain database it should be: it was written by another program`);
  edit(`PRAGMA application_id = ${APPLICATION_ID}`);
  const lock = join(directory, 'chain.lock');
  const noLock = `cannot use the chain database ${file}: ${lock} is not a lock file. Remove it while no program uses the chain database`;
  writeFileSync(lock, 'garbage in the place of a lock '.repeat(100));
  expect(message(false)).toBe(noLock);
  rmSync(lock);
  mkdirSync(lock);
  expect(message(false)).toBe(noLock);
});

test('a log without its database and a truncated database are errors and not changed', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 300));
  const left = (name: string): string => {
    const directory = join(freshDirectory(), name);
    mkdirSync(directory);
    for (const file of ['chain.sqlite', 'chain.sqlite-wal', 'chain.sqlite-control']) {
      copyFileSync(join(db.directory, file), join(directory, file));
    }
    return directory;
  };
  const expectIncomplete = (directory: string): void => {
    const wal = readFileSync(`${databaseFile(directory)}-wal`);
    for (const readonly of [true, false]) {
      expect(() => openChainDb({ directory, network: 'devnet', readonly })).toThrow(IncompleteFiles);
    }
    expect(readFileSync(`${databaseFile(directory)}-wal`).equals(wal)).toBe(true);
  };
  const lost = left('lost');
  rmSync(databaseFile(lost));
  expectIncomplete(lost);
  expect(existsSync(databaseFile(lost))).toBe(false);
  expect(() => openChainDb({ directory: lost, network: 'devnet', create: false })).toThrow(IncompleteFiles);
  const empty = left('empty');
  truncateSync(databaseFile(empty), 0);
  expectIncomplete(empty);
  db.close();
  truncateSync(databaseFile(db.directory), 40 * PAGE_SIZE);
  for (const readonly of [true, false]) {
    expect(() => openChainDb({ directory: db.directory, network: 'devnet', readonly })).toThrow(
      /was cut short: 40 pages of \d+ are there/,
    );
  }
});

test('an open of a database that is up to date changes the page with the session number only', () => {
  // The secret of the hash index and the id of the database are random.
  jest.spyOn(crypto, 'randomBytes').mockImplementation((size) => Buffer.alloc(size, 7));
  const made = openHere();
  made.close();
  const before = readFileSync(databaseFile(made.directory));
  openHere({ directory: made.directory }).close();
  const after = readFileSync(databaseFile(made.directory));
  const changed = Array.from({ length: before.length / PAGE_SIZE }, (_, i) => i + 1).filter(
    (page) =>
      before.compare(after, (page - 1) * PAGE_SIZE, page * PAGE_SIZE, (page - 1) * PAGE_SIZE, page * PAGE_SIZE) !== 0,
  );
  expect([changed, after.length]).toEqual([[3], before.length]);
  const other = openHere();
  other.close();
  expect(readFileSync(databaseFile(other.directory)).equals(before)).toBe(true);
});
