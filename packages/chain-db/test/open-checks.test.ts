import { SqliteConnection } from '@wrkz/sqlite';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CorruptDatabase, databaseFile, openChainDb, verifyChain, type ChainDb } from '../src';
import { HASH_KINDS } from '../src/hash-index/schema';
import { checkLastBlocks, LAST_BLOCKS } from '../src/open-checks/last-blocks';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { editEntries } from './support/entries';
import { makeChain } from './support/maker';
import { SMALL_RUNS } from './support/small-runs';

afterEach(cleanUp);

/** The folder of a database as a kill leaves it. */
function killed(db: ChainDb): string {
  const directory = join(freshDirectory(), 'left');
  mkdirSync(directory);
  for (const file of ['chain.sqlite', 'chain.sqlite-wal', 'chain.sqlite-mark']) {
    const from = join(db.directory, file);
    if (existsSync(from)) copyFileSync(from, join(directory, file));
  }
  return directory;
}

function tamper(directory: string, sql: string): void {
  const connection = new SqliteConnection(databaseFile(directory));
  try {
    connection.exec(sql);
  } finally {
    connection.close();
  }
}

interface Entry {
  readonly fingerprint: number;
  readonly id: number;
}

const otherFingerprint = ({ fingerprint, id }: Entry): Entry => ({
  fingerprint: fingerprint + 1 - 2 * (fingerprint % 2),
  id,
});

describe('the last blocks', () => {
  test('are looked at after a stop that was none, and after no other', () => {
    const db = openHere();
    expect(db.opening).toEqual({ cleanStop: true, checked: 0, forgotten: 0 });
    writerOf(db).append(chainA().slice(0, 300));
    const directory = killed(db);
    db.close();
    expect(openHere({ directory: db.directory }).opening).toMatchObject({ cleanStop: true, checked: 0 });
    const again = openHere({ directory });
    expect(again.opening).toEqual({ cleanStop: false, checked: 300, forgotten: 0 });
    expect(again.reader.height()).toBe(299);
    again.close();
    expect(openHere({ directory }).opening).toMatchObject({ cleanStop: true });
  });

  test(`at most ${LAST_BLOCKS} of them`, () => {
    const db = openHere();
    writerOf(db).append(chainA());
    expect(checkLastBlocks(db.reader)).toBe(721);
    expect(checkLastBlocks(db.reader, 100)).toBe(100);
    expect(LAST_BLOCKS).toBe(1000);
  });

  test.each<[string, string]>([
    ['a body', 'DELETE FROM block_bodies WHERE height = 290'],
    ['a transaction', 'DELETE FROM transactions WHERE height = 290'],
    ['an output', 'DELETE FROM outputs WHERE height = 290'],
    ['the id', 'UPDATE blocks SET hash = randomblob(32) WHERE height = 290'],
  ])('that lack %s are told at an open after a kill, and cost no check after a stop', (_, sql) => {
    const db = openHere();
    writerOf(db).append(chainA().slice(0, 300));
    db.close();
    tamper(db.directory, sql);
    const open = openHere({ directory: db.directory });
    expect(open.opening.checked).toBe(0);
    expect(() => checkLastBlocks(open.reader, 5)).not.toThrow();
    expect(() => checkLastBlocks(open.reader)).toThrow(CorruptDatabase);
  });
});

describe('the last blocks of a reduced database', () => {
  const LITE = 250;
  const filled = (count: number): ChainDb => {
    const db = openHere({ lite: LITE });
    writerOf(db).append(chainA().slice(0, count));
    return db;
  };

  test.each([120, 300])('are looked at after a kill, as far as they are there: %d blocks of a lite one', (count) => {
    const db = filled(count);
    const directory = killed(db);
    expect(openHere({ directory, lite: LITE }).opening).toMatchObject({ cleanStop: false, checked: count });
  });

  test('and of a pruned one', () => {
    const db = openHere();
    writerOf(db).append(chainA().slice(0, 300));
    while (!writerOf(db).pruneStep(200).done);
    expect(openHere({ directory: killed(db) }).opening).toMatchObject({ cleanStop: false, checked: 300 });
  });

  test.each<[string, number, string]>([
    ['a block without its work', 120, 'UPDATE blocks SET difficulty = 9 WHERE height = 100'],
    ['an image of no block', 120, 'DELETE FROM blocks WHERE height = 119'],
    ['a transaction above the height', 300, 'DELETE FROM transactions WHERE height = 290'],
    ['an output above the height', 300, 'DELETE FROM outputs WHERE height = 290'],
  ])('%s is told', (_, count, sql) => {
    const db = filled(count);
    db.close();
    tamper(db.directory, sql);
    expect(() => checkLastBlocks(openHere({ directory: db.directory, lite: LITE }).reader)).toThrow(CorruptDatabase);
  });
});

test.each([
  ['facts', 'UPDATE alternatives SET size = size + 1'],
  ['bytes', 'UPDATE alternatives SET body = randomblob(length(body))'],
])('a block off the main chain whose %s are damaged is forgotten with the others, and ends no start', (_, sql) => {
  const db = openHere();
  const below = chainA().slice(0, 1);
  writerOf(db).append([...below, ...makeChain([{ salt: 1, transactions: [] }], below)]);
  writerOf(db).putAlternative(makeChain([{ salt: 2, transactions: [] }], below)[0]!);
  db.close();
  tamper(db.directory, sql);
  const again = openHere({ directory: db.directory });
  expect(again.opening.forgotten).toBe(1);
  expect(again.reader.alternativeCount()).toBe(0);
  expect(again.reader.height()).toBe(1);
});

type Edit = (entry: Entry, row: number) => Entry | undefined;

test.each<[string, Edit]>([
  ['is gone', (entry, row) => (entry.id === row ? undefined : entry)],
  ['and all below it are gone', (entry, row) => (entry.id <= row ? undefined : entry)],
  ['and all others are gone', () => undefined],
  ['has another fingerprint', (entry, row) => (entry.id === row ? otherFingerprint(entry) : entry)],
  ['leads to a row that is not there', (entry, row) => (entry.id === row ? { ...entry, id: row + 100_000 } : entry)],
])('a new entry of a look-up that %s is named by the open, before an output is spent twice', (_, edit) => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 500));
  const row = db.reader.keyImagesBetween(0, 500).length - 900;
  expect(row).toBeGreaterThan(0);
  db.close();
  expect(() => openHere({ directory: db.directory }).close()).not.toThrow();
  const connection = new SqliteConnection(databaseFile(db.directory));
  editEntries(connection, HASH_KINDS.keyImage, (entry) => edit(entry, row));
  connection.close();
  expect(() => openHere({ directory: db.directory })).toThrow(
    /damaged: row \d+ is missing in the look-up of key images/,
  );
});

test('a run that the manifest has lost is named by the open', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 300));
  db.close();
  tamper(db.directory, "UPDATE hash_state SET manifest = '[]'");
  expect(() => openHere({ directory: db.directory })).toThrow(
    /damaged: the run of page \d+ of the hash look-ups is missing/,
  );
});

test('the new entries are whole beside runs, after rewinds and after reorganisations', () => {
  const db = openHere({ hashIndex: SMALL_RUNS });
  const { directory } = db;
  writerOf(db).append(chainA().slice(0, 300));
  db.close();
  for (const height of [290, 150, 60, 3, 0]) {
    const again = openHere({ directory, hashIndex: SMALL_RUNS });
    writerOf(again).rewindTo(height);
    again.close();
    const later = openHere({ directory, hashIndex: SMALL_RUNS });
    writerOf(later).append(chainA().slice(height + 1, height + 40));
    later.close();
  }
});

test('--verify compares the schema and every row of meta', async () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 50));
  db.close();
  const problems = async (): Promise<string[]> =>
    (await verifyChain({ directory: db.directory, network: 'devnet' })).problems;
  expect(await problems()).toEqual([]);
  const cases: [sql: string, undo: string, finding: RegExp][] = [
    ['CREATE TABLE more (id INTEGER)', 'DROP TABLE more', /^schema: more does not belong there: table of more/],
    [
      'ALTER TABLE signatures ADD COLUMN more INTEGER',
      'ALTER TABLE signatures DROP COLUMN more',
      /^schema: signatures .*more/,
    ],
    [
      "INSERT INTO meta VALUES ('mood', 'good', 1)",
      "DELETE FROM meta WHERE key = 'mood'",
      /^meta mood: does not belong there/,
    ],
    [
      "UPDATE meta SET checksum = checksum + 1 WHERE key = 'body_floor'",
      "UPDATE meta SET checksum = checksum - 1 WHERE key = 'body_floor'",
      /^meta body_floor: .*damaged/,
    ],
    [
      "UPDATE meta SET value = '0 ' WHERE key = 'body_floor'",
      "UPDATE meta SET value = '0' WHERE key = 'body_floor'",
      /^meta body_floor/,
    ],
    [
      "UPDATE meta SET key = 'floor' WHERE key = 'body_floor'",
      "UPDATE meta SET key = 'body_floor' WHERE key = 'floor'",
      /^meta body_floor: is missing/,
    ],
  ];
  for (const [sql, undo, finding] of cases) {
    tamper(db.directory, sql);
    expect((await problems()).filter((line) => finding.test(line))).toHaveLength(1);
    tamper(db.directory, undo);
  }
  expect(() => openChainDb({ directory: db.directory, network: 'devnet' }).close()).not.toThrow();
  expect(await problems()).toEqual([]);
});
