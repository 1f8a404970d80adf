import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { openDatabase, SqliteFileError, type SqliteDatabase } from '../src';
import { readLogIdentity } from '../src/log-file';
import { crashed } from './support/crash';
import { closing, cleanUp, fresh } from './support/folder';
import { HISTORY, journal } from './support/journal';

/*
 * What is beside a database when it is opened, and what is said to it. SQLite alone starts anew where the database is
 * missing, and copies any log whose sums are right into whatever file lies beside it.
 */

afterEach(cleanUp);

const marked = { markLog: true, migrations: HISTORY.slice(0, 2) };

function open(file: string): SqliteDatabase {
  return closing(openDatabase(journal(file, marked)));
}

/** Adds entries, one a commit. */
function add(database: SqliteDatabase, count: number, text = 'some text '.repeat(30)): void {
  const insert = database.connection.prepare('INSERT INTO entries (text) VALUES (?)');
  for (let i = 0; i < count; i++) {
    insert.run(text);
    database.committed();
  }
}

/** A database that was killed: its log holds what was committed since `copied` entries. */
function killed(copied = 100, logged = 50): string {
  const file = fresh('journal.sqlite');
  open(file).close();
  copyFileSync(file, `${file}-early`);
  const first = open(file);
  add(first, copied);
  first.close();
  const database = open(file);
  add(database, logged);
  const left = crashed(file, fresh('left'));
  copyFileSync(`${file}-early`, `${left}-early`);
  return left;
}

interface Case {
  readonly name: string;
  /** Damages what a kill has left. */
  readonly damage: (file: string) => void;
  /** What is said; a number where it opens with so many entries. */
  readonly says: RegExp | number;
}

const wal = (file: string): string => `${file}-wal`;
const mark = (file: string): string => `${file}-mark`;

const CASES: readonly Case[] = [
  { name: 'nothing is wrong', damage: () => undefined, says: 150 },
  {
    name: 'the database is missing',
    damage: (file) => rmSync(file),
    says: /log of the journal .*belongs to is missing/,
  },
  { name: 'the database is empty', damage: (file) => truncateSync(file, 0), says: /belongs to is empty/ },
  {
    name: 'the database and the mark are missing',
    damage: (file) => [file, mark(file)].forEach((one) => rmSync(one)),
    says: /belongs to is missing/,
  },
  { name: 'the database is cut short', damage: (file) => truncateSync(file, 4096), says: /was cut short: 1 pages of/ },
  {
    name: 'the database is cut within its last page',
    damage: (file) => truncateSync(file, statSync(file).size - 100),
    // The last page stands in the log.
    says: 150,
  },
  {
    name: 'the database is that of another journal',
    damage: (file) => copyFileSync(closedJournal(400, 1), file),
    says: /not the one that the log was written for/,
  },
  {
    name: 'the database is an older copy',
    damage: (file) => copyFileSync(`${file}-early`, file),
    says: /is older than the log/,
  },
  {
    name: 'the log is that of another journal',
    damage: (file) => copyFileSync(wal(killed(10, 20)), wal(file)),
    says: /not the one that the last session here has written/,
  },
  {
    name: 'the log is that of another journal, and the mark is missing',
    damage: (file) => {
      copyFileSync(wal(killed(10, 20)), wal(file));
      rmSync(mark(file));
    },
    says: /nothing tells that the last session here left one/,
  },
  { name: 'the log is missing', damage: (file) => rmSync(wal(file)), says: /log .*: it is gone, or holds nothing/ },
  { name: 'the log is empty', damage: (file) => truncateSync(wal(file), 0), says: /it is gone, or holds nothing/ },
  { name: 'the log is cut to its head', damage: (file) => truncateSync(wal(file), 32), says: /gone, or holds nothing/ },
  {
    name: 'the log is garbage',
    damage: (file) => writeFileSync(wal(file), 'x'.repeat(9000)),
    says: /gone, or holds nothing/,
  },
  {
    name: 'only the mark is missing',
    damage: (file) => rmSync(mark(file)),
    says: /nothing tells that the last session/,
  },
  {
    name: 'the mark is garbage',
    damage: (file) => writeFileSync(mark(file), '{'),
    says: /nothing tells that the last session/,
  },
  {
    name: 'the log is missing, and the mark as well, as the remedy says',
    damage: (file) => [wal(file), mark(file)].forEach((one) => rmSync(one)),
    says: 100,
  },
  {
    name: 'everything is missing',
    damage: (file) => ['', '-wal', '-mark'].forEach((ending) => rmSync(file + ending)),
    says: 0,
  },
  {
    name: 'all but the mark is missing',
    damage: (file) => [file, wal(file)].forEach((one) => rmSync(one)),
    says: 0,
  },
  {
    name: 'the index of the log is garbage',
    damage: (file) => writeFileSync(`${file}-shm`, Buffer.alloc(32_768, 7)),
    says: 150,
  },
];

/** The file of a journal that was stopped in order. */
function closedJournal(entries: number, sessions = 3): string {
  const file = fresh('journal.sqlite');
  open(file).close();
  for (let session = 0; session < sessions; session++) {
    const database = open(file);
    add(database, entries);
    database.close();
  }
  return file;
}

function entriesOf(database: SqliteDatabase): number {
  return database.connection.prepare<[], [number]>('SELECT count(*) FROM entries').raw(true).get()?.[0] ?? -1;
}

describe('after a kill', () => {
  test.each(CASES)('$name', ({ damage, says }) => {
    const file = killed();
    damage(file);
    const before = contents(file);
    if (typeof says === 'number') {
      const database = open(file);
      expect(entriesOf(database)).toBe(says);
      database.close();
      const left = readdirSync(dirname(file)).filter((name) => !name.endsWith('-early'));
      expect(left.sort()).toEqual(['journal.sqlite', 'journal.sqlite.lock']);
      return;
    }
    for (const mode of ['write', 'read'] as const) {
      expect(() => openDatabase(journal(file, { ...marked, mode }))).toThrow(SqliteFileError);
      expect(() => openDatabase(journal(file, { ...marked, mode }))).toThrow(says);
    }
    expect(contents(file)).toEqual(before);
  });

  test('the last stop is known to have been none, and the next one to have been one', () => {
    const file = killed();
    const database = open(file);
    expect(database.lastStop.clean).toBe(false);
    database.close();
    const next = open(file);
    expect(next.lastStop.clean).toBe(true);
    add(next, 1);
    next.close();
    expect(open(file).lastStop.clean).toBe(true);
  });

  test('a second and third kill need no more than the first', () => {
    let file = killed();
    for (const count of [150, 151, 152]) {
      const database = open(file);
      expect(entriesOf(database)).toBe(count);
      add(database, 1);
      file = crashed(file, fresh('left'));
      database.close();
    }
  });

  test('a kill between the first commit and the mark is no loss', () => {
    const file = closedJournal(5);
    const database = open(file);
    database.connection.prepare('INSERT INTO entries (text) VALUES (?)').run('x');
    const left = crashed(file, fresh('left'));
    expect(existsSync(`${left}-mark`)).toBe(false);
    expect(entriesOf(open(left))).toBe(16);
  });

  test('a kill while the log is copied back is no loss, with the log or without', () => {
    const file = closedJournal(5);
    const database = open(file);
    add(database, 5);
    const left = crashed(file, fresh('left'));
    database.close();
    const closingMark = readFileSync(`${left}-mark`, 'utf8').replace('open', 'closing');
    writeFileSync(`${left}-mark`, closingMark);
    const again = open(left);
    expect(entriesOf(again)).toBe(20);
    again.close();
    writeFileSync(`${left}-mark`, closingMark);
    writeFileSync(`${left}-wal`, '');
    const last = open(left);
    expect(entriesOf(last)).toBe(20);
    expect(existsSync(`${left}-mark`)).toBe(false);
  });
});

test('a file that has grown and shrunk again is known after a kill', () => {
  const file = fresh('journal.sqlite');
  const settings = { checkpointAt: 10 * 4096, autoVacuum: 'full' as const };
  const database = closing(openDatabase(journal(file, { ...marked, settings })));
  add(database, 2000);
  database.connection.pragma('wal_checkpoint(TRUNCATE)');
  const { size } = statSync(file);
  database.connection.exec('DELETE FROM entries WHERE id > 100');
  database.committed();
  const left = crashed(file, fresh('left'));
  expect(statSync(left).size).toBe(size);
  const again = open(left);
  expect(entriesOf(again)).toBe(100);
  again.close();
  expect(statSync(left).size).toBeLessThan(size / 5);
});

describe('the identity of a log', () => {
  test('stays the same through its rounds, and is another one after a stop', () => {
    const file = fresh('journal.sqlite');
    const settings = { checkpointAt: 10 * 4096 };
    const database = closing(openDatabase(journal(file, { ...marked, settings })));
    const identities = new Set<number | undefined>();
    for (let i = 0; i < 40; i++) {
      add(database, 5);
      identities.add(readLogIdentity(wal(file)));
    }
    database.connection.pragma('wal_checkpoint(TRUNCATE)');
    add(database, 1);
    identities.add(readLogIdentity(wal(file)));
    expect(identities.size).toBe(1);
    const left = crashed(file, fresh('left'));
    database.close();
    expect(entriesOf(open(left))).toBe(201);
    const next = open(file);
    add(next, 1);
    expect(identities.has(readLogIdentity(wal(file)))).toBe(false);
  });
});

describe('a database that was stopped in order', () => {
  test('is told when it was cut short', () => {
    const file = closedJournal(50);
    truncateSync(file, statSync(file).size - 4096);
    for (const mode of ['write', 'read'] as const) {
      expect(() => openDatabase(journal(file, { ...marked, mode }))).toThrow(
        /was cut short: \d+ pages of \d+ are there/,
      );
    }
  });

  test("is not opened with another one's log", () => {
    const file = closedJournal(50);
    copyFileSync(wal(killed()), wal(file));
    expect(() => open(file)).toThrow(/nothing tells that the last session here left one/);
  });

  test('keeps its mark while a reader keeps the log, and the next open reads it from there', () => {
    const file = closedJournal(5);
    const database = open(file);
    const reader = closing(openDatabase(journal(file, { ...marked, mode: 'read' })));
    reader.connection.exec('BEGIN');
    expect(entriesOf(reader)).toBe(15);
    add(database, 5);
    database.close();
    expect(existsSync(mark(file))).toBe(true);
    const left = crashed(file, fresh('left'));
    expect(entriesOf(open(left))).toBe(20);
    reader.close();
    expect(entriesOf(open(file))).toBe(20);
  });
});

test('a log without its database is told where no mark is kept, too', () => {
  const file = killed();
  rmSync(file);
  expect(() => openDatabase(journal(file, { migrations: HISTORY.slice(0, 2) }))).toThrow(/belongs to is missing/);
  expect(existsSync(file)).toBe(false);
});

test('where no mark is kept, a kill behind a copy of the log is no loss, however many sessions wrote into it', () => {
  const plain = { migrations: HISTORY.slice(0, 2) };
  let file = fresh('journal.sqlite');
  for (let session = 1; session <= 3; session++) {
    const database = closing(openDatabase(journal(file, plain)));
    add(database, 40);
    // As a commit does that crosses the bound: the log stays as it is until the next one.
    if (session === 3) database.connection.pragma('wal_checkpoint(PASSIVE)');
    file = crashed(file, fresh('left'));
  }
  const { connection } = closing(openDatabase(journal(file, plain)));
  expect(connection.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(120);
});

describe('a kill behind the copy of a whole log and before the next commit', () => {
  /** @param frames how many of the next commit's were written, which has more of them; undefined: not even the new head */
  function killedBetween(frames: number | undefined): string {
    const file = fresh('journal.sqlite');
    open(file).close();
    copyFileSync(file, `${file}-early`);
    const first = open(file);
    add(first, 30);
    first.close();
    const database = open(file);
    add(database, 10);
    database.connection.pragma('wal_checkpoint(PASSIVE)');
    const left = crashed(file, fresh('left'));
    copyFileSync(`${file}-early`, `${left}-early`);
    add(database, 1, 'long text '.repeat(2000));
    if (frames === undefined) return left;
    const [log, next] = [readFileSync(wal(left)), readFileSync(wal(file))];
    next.copy(log, 0, 0, 32 + frames * (24 + 4096));
    writeFileSync(wal(left), log);
    return left;
  }

  test.each([undefined, 0, 1, 3])('is no loss, with %s frames of it', (frames) => {
    const left = killedBetween(frames);
    const again = open(left);
    expect(entriesOf(again)).toBe(40);
    add(again, 5);
    const killedAgain = crashed(left, fresh('again'));
    expect(entriesOf(open(killedAgain))).toBe(45);
  });

  test.each([
    ['a log that was cut off behind its head', (file: string) => truncateSync(wal(file), 32)],
    ['a head that is not of this log', (file: string) => copyFileSync(wal(killedBetween(0)), wal(file))],
    ['an older database', (file: string) => copyFileSync(`${file}-early`, file)],
  ])('is not what %s is taken for', (_what, damage) => {
    const left = killedBetween(0);
    damage(left);
    expect(() => open(left)).toThrow(/it is gone, or holds nothing/);
  });
});

test('a folder in the place of the log is named', () => {
  const file = closedJournal(5);
  mkdirSync(wal(file));
  expect(() => open(file)).toThrow(SqliteFileError);
});

/** The bytes of a database's files, without the index of the log, which any connection may make anew. */
function contents(file: string): (string | undefined)[] {
  return ['', '-wal', '-mark'].map((ending) =>
    existsSync(file + ending) ? readFileSync(file + ending).toString('latin1') : undefined,
  );
}
