import type { MigrationProgress } from '@wrkz/sqlite';
import { SqliteConnection } from '@wrkz/sqlite';
import { databaseFile, openChainDb, verifyChain } from '../src';
import { chainA } from './support/chain-a';
import { runProgram } from './support/child';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { makeFirstDatabase } from './support/first-schema';
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
  expect(seen[seen.length - 1]).toMatchObject({ version: 2, done: 715, total: 715 });
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

test('killed at any step it goes on where it was', async () => {
  const directory = freshDirectory();
  makeFirstDatabase(directory, chainA());
  for (const steps of [1, 2, 1]) {
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
  const twin = openHere();
  writerOf(twin).append(chainA());
  const db = openHere({ directory });
  expect(fingerprint(db)).toEqual(fingerprint(twin));
  expect((await verifyChain(db)).problems).toEqual([]);
  expect(autoVacuum(directory)).toBe(2);
}, 60_000);
