import { SqliteConnection } from '@wrkz/sqlite';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CorruptDatabase, databaseFile, openChainDb, verifyChain, type ChainDb } from '../src';
import { checkLastBlocks, LAST_BLOCKS } from '../src/last-blocks';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';

afterEach(cleanUp);

/** The folder of a database after a kill. */
function killed(db: ChainDb): string {
  const directory = join(freshDirectory(), 'left');
  mkdirSync(directory);
  for (const file of ['chain.sqlite', 'chain.sqlite-wal', 'chain.sqlite-control']) {
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

describe('the last blocks', () => {
  test('are checked after an unclean stop, and only then', () => {
    const db = openHere();
    expect(db.opening).toEqual({ cleanStop: true, checked: 0 });
    writerOf(db).append(chainA().slice(0, 300));
    const directory = killed(db);
    db.close();
    expect(openHere({ directory: db.directory }).opening).toMatchObject({ cleanStop: true, checked: 0 });
    const again = openHere({ directory });
    expect(again.opening).toEqual({ cleanStop: false, checked: 300 });
    expect(again.reader.height()).toBe(299);
    again.close();
    expect(openHere({ directory }).opening).toMatchObject({ cleanStop: true });
  });

  test(`are at most ${LAST_BLOCKS}`, () => {
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
  ])('that lack %s are reported at an open after a kill, and not checked after a clean stop', (_, sql) => {
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

  test.each([120, 300])('are checked after a kill as far as a lite database of %d blocks has them', (count) => {
    const db = filled(count);
    const directory = killed(db);
    expect(openHere({ directory, lite: LITE }).opening).toMatchObject({ cleanStop: false, checked: count });
  });

  test('are checked after a kill in a pruned database', () => {
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
  ])('%s is reported', (_, count, sql) => {
    const db = filled(count);
    db.close();
    tamper(db.directory, sql);
    expect(() => checkLastBlocks(openHere({ directory: db.directory, lite: LITE }).reader)).toThrow(CorruptDatabase);
  });
});

test('--verify compares the schema and every row of meta', async () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 50));
  db.close();
  const problems = async (): Promise<string[]> =>
    (await verifyChain({ directory: db.directory, network: 'devnet' })).problems;
  expect(await problems()).toEqual([]);
  const cases: [sql: string, undo: string, finding: RegExp][] = [
    ['CREATE TABLE more (id INTEGER)', 'DROP TABLE more', /^schema: more is not part of it: table of more/],
    [
      'ALTER TABLE signatures ADD COLUMN more INTEGER',
      'ALTER TABLE signatures DROP COLUMN more',
      /^schema: signatures .*more/,
    ],
    [
      "INSERT INTO meta VALUES ('mood', 'good')",
      "DELETE FROM meta WHERE key = 'mood'",
      /^meta mood: is not part of the schema/,
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
