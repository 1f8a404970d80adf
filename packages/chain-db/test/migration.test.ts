import type { MigrationProgress } from '@wrkz/sqlite';
import { SqliteConnection } from '@wrkz/sqlite';
import { databaseFile, NotALiteDatabase, openChainDb, verifyChain } from '../src';
import { SCHEMA } from '../src/schema';
import { chainA } from './support/chain-a';
import { runProgram } from './support/child';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { makeFirstDatabase } from './support/first-schema';
import { makeSecondDatabase } from './support/second-schema';
import { contents, fingerprint } from './support/tables';

afterEach(cleanUp);

const autoVacuum = (directory: string): unknown => {
  const connection = new SqliteConnection(databaseFile(directory), { readonly: true });
  try {
    return connection.pragma('auto_vacuum', { simple: true });
  } finally {
    connection.close();
  }
};

test('a database of the first schema becomes what would be written today, with progress and the new layout', async () => {
  const directory = freshDirectory();
  makeFirstDatabase(directory, chainA().slice(0, 715), chainA().slice(715));
  expect(autoVacuum(directory)).toBe(0);
  const seen: MigrationProgress[] = [];
  const db = openHere({ directory, onProgress: (progress) => seen.push(progress) });
  const taken = seen.filter(({ version }) => version === 2);
  expect(taken[taken.length - 1]).toMatchObject({ done: 715, total: 715 });
  const transactions = db.reader.transactionCount();
  expect(seen[seen.length - 1]).toMatchObject({ version: 3, done: transactions, total: transactions });
  expect(autoVacuum(directory)).toBe(2);

  const twin = openHere();
  writerOf(twin).append(chainA().slice(0, 715));
  for (const block of chainA().slice(715)) writerOf(twin).putAlternative(block);
  expect(fingerprint(db)).toEqual(fingerprint(twin));
  expect(contents(db, true)['alternatives']).toEqual(contents(twin, true)['alternatives']);
  const report = await verifyChain(db);
  expect(report).toEqual(await verifyChain(twin));
  expect(report.problems).toEqual([]);
  writerOf(db).append(chainA().slice(715));
  expect(db.reader.alternativeCount()).toBe(0);
}, 60_000);

test('an empty one, too, and new files have the layout from the first table on', () => {
  const directory = freshDirectory();
  makeFirstDatabase(directory, []);
  const db = openHere({ directory });
  expect(contents(db)).toEqual(contents(openHere()));
  expect([autoVacuum(directory), autoVacuum(openHere().directory)]).toEqual([2, 2]);
});

test('no lite database is made of an old one: that is refused before anything is brought up to date', async () => {
  const directory = freshDirectory();
  makeFirstDatabase(directory, chainA().slice(0, 50));
  const seen: unknown[] = [];
  const onProgress = (progress: unknown): unknown => seen.push(progress);
  expect(() => openHere({ directory, lite: 20, onProgress })).toThrow(NotALiteDatabase);
  expect(seen).toEqual([]);
  expect(autoVacuum(directory)).toBe(0);
  const db = openHere({ directory });
  writerOf(db).pruneStep(30);
  expect((await verifyChain(db)).problems).toEqual([]);
});

test('killed at any step it goes on where it was', async () => {
  const directory = freshDirectory();
  makeFirstDatabase(directory, chainA());
  await killAtSteps(directory, [1, 2, 1, 3]);
  const twin = openHere();
  writerOf(twin).append(chainA());
  const db = openHere({ directory });
  expect(fingerprint(db)).toEqual(fingerprint(twin));
  expect((await verifyChain(db)).problems).toEqual([]);
  expect(autoVacuum(directory)).toBe(2);
}, 60_000);

/** Opens in a program that is killed after so many steps, once for each number. */
async function killAtSteps(directory: string, counts: readonly number[]): Promise<void> {
  for (const steps of counts) {
    const child = runProgram('migrate.ts', directory);
    const done = [await child.line()];
    while (done.length < steps) {
      child.process.stdin?.write('.');
      done.push(await child.line());
    }
    expect(done).not.toContain('open');
    child.process.kill('SIGKILL');
    await child.ended;
    expect(() => openChainDb({ directory, network: 'devnet', readonly: true })).toThrow(/brought up to date/);
  }
}

test('one of the second schema gets the index of payment ids, also when it is killed between two steps', async () => {
  const directory = freshDirectory();
  makeSecondDatabase(directory, chainA());
  await killAtSteps(directory, [1, 1]);
  const seen: MigrationProgress[] = [];
  const db = openHere({ directory, onProgress: (progress) => seen.push(progress) });
  expect(seen.map(({ version, done }) => [version, done])).toEqual([[3, 1579]]);
  const twin = openHere();
  writerOf(twin).append(chainA());
  expect(fingerprint(db)).toEqual(fingerprint(twin));
  const report = await verifyChain(db);
  expect(report).toEqual(await verifyChain(twin));
  expect(report.problems).toEqual([]);
  writerOf(db).rewindTo(400);
  writerOf(db).append(chainA().slice(401));
  expect(fingerprint(db)).toEqual(fingerprint(twin));
}, 60_000);

test('a prefix that is damaged is named by the step, and what was done before it stays', () => {
  const directory = freshDirectory();
  makeSecondDatabase(directory, chainA());
  const edit = (sql: string): void => {
    const connection = new SqliteConnection(databaseFile(directory));
    connection.exec(sql);
    connection.close();
  };
  edit('CREATE TABLE kept AS SELECT prefix FROM transactions WHERE id = 1200');
  edit('UPDATE transactions SET prefix = zeroblob(40) WHERE id = 1200');
  expect(() => openChainDb({ directory, network: 'devnet' })).toThrow(/row 1200 of transactions/);
  edit('UPDATE transactions SET prefix = (SELECT prefix FROM kept) WHERE id = 1200; DROP TABLE kept');
  const seen: number[] = [];
  openHere({ directory, onProgress: ({ done }) => seen.push(done) });
  expect(seen).toEqual([1579]);
}, 60_000);

test('the page of the schema says what the migrations end in', () => {
  const tables = (connection: SqliteConnection): string[] => {
    const sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'hash_%' ORDER BY name";
    const rows = connection.prepare<[], [string]>(sql).raw(true).all();
    connection.close();
    return rows.map(([text]) => text.replace(/"/g, '').replace(/\s+/g, ' '));
  };
  const page = new SqliteConnection(':memory:');
  page.exec(SCHEMA);
  const file = new SqliteConnection(databaseFile(openHere().directory), { readonly: true });
  expect(tables(file)).toEqual(tables(page));
});

test('a key image that no block spends is named as damage, and the old tables are still there', () => {
  const directory = freshDirectory();
  makeFirstDatabase(directory, chainA().slice(0, 50));
  const edit = (sql: string): void => {
    const connection = new SqliteConnection(databaseFile(directory));
    connection.exec(sql);
    connection.close();
  };
  edit('INSERT INTO key_images VALUES (zeroblob(32), 4)');
  expect(() => openChainDb({ directory, network: 'devnet' })).toThrow(/key images are stored, the blocks spend/);
  edit('SELECT count(*) FROM first_key_images; DELETE FROM first_key_images WHERE height = 4');
  expect(openHere({ directory }).reader.height()).toBe(49);
});
