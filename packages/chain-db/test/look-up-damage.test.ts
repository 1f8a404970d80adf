import { SqliteConnection } from '@wrkz/sqlite';
import { createHash } from 'node:crypto';
import { CorruptDatabase, databaseFile } from '../src';
import { findRow, type HashSource } from '../src/hash-index/find';
import { Fingerprints } from '../src/hash-index/fingerprint';
import { HashIndex } from '../src/hash-index/hash-index';
import { HASH_KINDS } from '../src/hash-index/kinds';
import { HashLookup } from '../src/hash-index/lookup';
import { decodePage, encodePage } from '../src/hash-index/page';
import { sameHashIn } from '../src/hash-index/same-hash';
import { createHashIndexes } from '../src/hash-index/schema';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { SMALL_RUNS } from './support/small-runs';

/* Look-ups that are whole by their checksums and wrong all the same (docs/protocol/storage.md#hash-look-ups). */

afterEach(cleanUp);

const { block, keyImage, transaction } = HASH_KINDS;
const hashOf = (number: number): Buffer => createHash('sha256').update(String(number)).digest();

/** Rows 0 to 99 have hashes of their own; row 100 + n has that of row n. */
const ofRow = (id: number): Buffer => hashOf(id % 100);

function emptyIndex() {
  const connection = new SqliteConnection(':memory:');
  createHashIndexes(connection);
  const index = new HashIndex(connection, (_, a, b) => ofRow(a).equals(ofRow(b)), SMALL_RUNS);
  const change = (work: () => void): void => {
    connection.exec('BEGIN');
    work();
    index.flush();
    connection.exec('COMMIT');
  };
  const add = (...ids: number[]): void => change(() => ids.forEach((id) => index.add(keyImage, ofRow(id), id)));
  const mergeAll = (): void => {
    while (index.isMergeDue) change(() => index.merge());
  };
  return { connection, index, change, add, mergeAll };
}

test('one image in two rows is found by the merge, and both are named', () => {
  const { add, mergeAll } = emptyIndex();
  add(0, 1, 2, 3, 4);
  add(100, 5, 6, 7, 8);
  expect(mergeAll).toThrow(new CorruptDatabase('the look-up of key images has one of them twice, in rows 0 and 100'));
});

test('whether two rows have one hash is asked of the table of their kind', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 300));
  const connection = new SqliteConnection(databaseFile(db.directory));
  try {
    const isSame = sameHashIn(connection);
    for (const kind of [block, transaction, keyImage]) {
      expect([isSame(kind, 2, 2), isSame(kind, 2, 3), isSame(kind, 2, 1_000_000)]).toEqual([true, false, false]);
    }
    connection.exec('UPDATE key_images SET image = (SELECT image FROM key_images WHERE id = 2) WHERE id = 3');
    expect([block, transaction, keyImage].map((kind) => isSame(kind, 2, 3))).toEqual([false, false, true]);
  } finally {
    connection.close();
  }
});

test('a page out of order ends a merge before anything was moved', () => {
  const { connection, index, add, mergeAll } = emptyIndex();
  add(0, 1, 2, 3, 4);
  const [id, bytes] = connection
    .prepare<[], [number, Buffer]>('SELECT id, entries FROM hash_pages ORDER BY id')
    .raw(true)
    .get() as [number, Buffer];
  const { fingerprints, ids } = decodePage(id, bytes)!;
  const reversed = { fingerprints: fingerprints.toReversed(), ids: ids.toReversed() };
  connection.prepare('UPDATE hash_pages SET entries = ? WHERE id = ?').run(encodePage(id, reversed, 0, ids.length), id);
  add(5, 6, 7, 8, 9);
  expect(index.isMergeDue).toBe(true);
  expect(mergeAll).toThrow(/^the chain database is damaged: the look-up of key images is out of order at \d+/);
});

test('an entry is taken out once: a second time it is missing', () => {
  const { index, change, add } = emptyIndex();
  add(0, 1, 2, 3, 4);
  const twice = (): void =>
    change(() => {
      index.remove(keyImage, ofRow(3), 3);
      index.remove(keyImage, ofRow(3), 3);
    });
  expect(twice).toThrow(new CorruptDatabase('row 3 is missing in the look-up of key images'));
});

test('a look-up that leads to a row of another fingerprint is damage, and never "unknown"', () => {
  const fingerprints = new Fingerprints(Buffer.alloc(32, 1));
  const source: HashSource = { fingerprints, candidates: () => [7] };
  expect(findRow(source, keyImage, hashOf(1), () => hashOf(1))).toBe(7);
  expect(() => findRow(source, keyImage, hashOf(1), () => hashOf(2))).toThrow(
    new CorruptDatabase('the look-up of key images leads to row 7, which has another one'),
  );
  jest.spyOn(fingerprints, 'of').mockReturnValue(5);
  expect(findRow(source, keyImage, hashOf(1), () => hashOf(2))).toBeUndefined();
});

test('a reader that keeps filters of its own never takes a damaged one for "unknown"', () => {
  const { connection, index, change } = emptyIndex();
  change(() => [0, 1, 2, 3, 4].forEach((id) => index.add(transaction, hashOf(id), id)));
  const [id, bits] = connection
    .prepare<[], [number, Buffer]>('SELECT id, bits FROM hash_filters ORDER BY id')
    .raw(true)
    .get() as [number, Buffer];
  const askAll = (): unknown[] => {
    const reader = new HashLookup(connection);
    return [0, 1, 2, 3, 4].map((one) => reader.candidates(transaction, hashOf(one)));
  };
  expect(askAll()).toEqual([[0], [1], [2], [3], [4]]);
  for (let bit = 0; bit < bits.length * 8; bit++) {
    const flipped = Buffer.from(bits);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    connection.prepare('UPDATE hash_filters SET bits = ? WHERE id = ?').run(flipped, id);
    expect(askAll).toThrow(new CorruptDatabase(`filter of page ${id} of the hash look-ups`));
  }
});

test('what a rollback took back does not count towards the next run', () => {
  const { connection, index, add } = emptyIndex();
  const runs = (): unknown => connection.prepare('SELECT count(*) FROM hash_runs').raw(true).get();
  for (let round = 0; round < 3; round++) {
    connection.exec('BEGIN');
    [10, 11, 12].forEach((id) => index.add(keyImage, ofRow(id), id));
    index.flush();
    connection.exec('ROLLBACK');
    index.rolledBack();
  }
  add(0, 1, 2);
  expect(runs()).toEqual([0]);
  add(3);
  expect(runs()).toEqual([0]);
  add(4);
  expect(runs()).toEqual([1]);
});
