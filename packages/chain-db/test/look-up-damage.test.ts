import { SqliteConnection } from '@wrkz/sqlite';
import { createHash } from 'node:crypto';
import { CorruptDatabase, databaseFile } from '../src';
import { Fingerprints } from '../src/hash-index/page';
import { HASH_KINDS } from '../src/hash-index/schema';
import { findRow, type HashSource, sameHashIn } from '../src/hashed-rows';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';

/* Wrong entries of the hash index on pages with correct checksums (docs/protocol/storage.md#hash-look-ups). */

afterEach(cleanUp);

const { block, keyImage, transaction } = HASH_KINDS;
const hashOf = (number: number): Buffer => createHash('sha256').update(String(number)).digest();

test('two rows with the same hash are compared in the table of their kind', () => {
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

test('a lookup that leads to a row with another fingerprint is damage, never "unknown"', () => {
  const fingerprints = new Fingerprints(Buffer.alloc(32, 1));
  const source: HashSource = { fingerprints, candidates: () => [7] };
  expect(findRow(source, keyImage, hashOf(1), () => hashOf(1))).toBe(7);
  expect(() => findRow(source, keyImage, hashOf(1), () => hashOf(2))).toThrow(
    new CorruptDatabase('the look-up of key images leads to row 7, which has another one'),
  );
  jest.spyOn(fingerprints, 'of').mockReturnValue(5);
  expect(findRow(source, keyImage, hashOf(1), () => hashOf(2))).toBeUndefined();
});
