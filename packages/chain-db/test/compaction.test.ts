import { statSync } from 'node:fs';
import { databaseFile, verifyChain } from '../src';
import { leaveEmptyPages } from './support/bulk';
import { makeCoinbaseChain } from './support/coinbase-chain';
import { cleanUp, openHere, writerOf } from './support/directories';

afterEach(cleanUp);

const MIB = 1024 * 1024;
const chain = makeCoinbaseChain(40);

test('slices shrink the file by the free pages; blocks are appended between two slices', async () => {
  const db = openHere();
  const writer = writerOf(db);
  writer.append(chain.slice(0, 30));
  leaveEmptyPages(db, 12 * MIB);
  const before = db.reader.fileSpace();
  expect(before.emptyPages * before.pageSize).toBeGreaterThan(11 * MIB);
  let steps = 0;
  let freed = 0;
  for (let at = 30; ; steps++) {
    const step = writer.compactStep(0);
    freed += step.freedPages;
    if (step.done) break;
    if (at < 35) writer.append(chain.slice(at, ++at));
  }
  expect(steps).toBeGreaterThan(5);
  expect(freed * before.pageSize).toBeGreaterThan(10 * MIB);
  expect(db.cutLog()).toBe(true);
  const after = db.reader.fileSpace();
  expect(after.emptyPages).toBeLessThanOrEqual(Math.floor(after.pages / 32) + 1);
  expect(statSync(databaseFile(db.directory)).size).toBe(after.pages * after.pageSize);
  expect(writer.compactStep()).toEqual({ done: true, freedPages: 0 });
  expect((await verifyChain(db)).problems).toEqual([]);
  expect(db.reader.height()).toBe(34);
});

test('slices return the free pages of a lite database', () => {
  const db = openHere({ lite: 20 });
  writerOf(db).append(chain.slice(0, 30));
  leaveEmptyPages(db, 4 * MIB);
  while (!writerOf(db).compactStep().done);
  expect(db.reader.fileSpace().emptyPages).toBeLessThan(16);
});
