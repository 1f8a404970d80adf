import { SqliteConnection } from '@wrkz/sqlite';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { CorruptDatabase } from '../src';
import { createHashIndexes, HASH_KINDS } from '../src/hash-index/schema';
import { HashIndex } from '../src/hash-index/hash-index';
import { filterKey, HashLookup, readDirectory } from '../src/hash-index/lookup';
import {
  entryOf,
  FINGERPRINT_LIMIT,
  fingerprintAt,
  Fingerprints,
  ID_LIMIT,
  idsOf,
  mayContain,
  sortEntries,
} from '../src/hash-index/page';
import { countEntries, pagesOf } from './support/entries';
import { SMALL_RUNS } from './support/small-runs';

const { keyImage, transaction, block } = HASH_KINDS;
const hashOf = (id: number): Buffer => createHash('sha256').update(String(id)).digest();
const range = (from: number, end: number): number[] => Array.from({ length: end - from }, (_, i) => from + i);

/** A hash index without a chain, in memory. Key image row `id` has the hash number `id`. */
function memoryIndex(limits = SMALL_RUNS) {
  const connection = new SqliteConnection(':memory:');
  createHashIndexes(connection);
  const open = (): HashIndex => new HashIndex(connection, (_, a, b) => hashOf(a).equals(hashOf(b)), limits);
  let index = open();
  const store = {
    connection,
    get index(): HashIndex {
      return index;
    },
    reopen(): void {
      index = open();
    },
    change(work: () => void, ends: 'COMMIT' | 'ROLLBACK' = 'COMMIT'): void {
      connection.exec('BEGIN');
      try {
        work();
        index.flush();
      } catch (error) {
        connection.exec('ROLLBACK');
        index.rolledBack();
        throw error;
      }
      connection.exec(ends);
      if (ends === 'ROLLBACK') index.rolledBack();
    },
    add(from: number, end: number): void {
      store.change(() => range(from, end).forEach((id) => index.add(keyImage, hashOf(id), id)));
    },
    count(table: string): number | undefined {
      return connection.prepare<[], [number]>(`SELECT count(*) FROM ${table}`).raw(true).get()?.[0];
    },
  };
  return store;
}

/** An index during the merge of a large run: some pages of the merged runs are moved. */
function halfMerged() {
  const store = memoryIndex();
  store.add(0, 100);
  store.add(100, 200);
  expect(store.index.directory.runs).toHaveLength(1);
  store.add(200, 400);
  for (let id = 400; !store.index.directory.runs.some(isHalfMerged); id++) store.add(id, id + 1);
  const [last] = store.connection.prepare<[], [number]>('SELECT generation FROM hash_state').raw(true).all();
  return { store, end: 400 + (last?.[0] ?? 0) - 3 };
}

const isHalfMerged = ({ ceiling }: { ceiling: number }): boolean => ceiling > 0 && ceiling < FINGERPRINT_LIMIT;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 30, max: 90 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), count: fc.integer({ min: 1, max: 30 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), count: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('rollback' as const, 'reopen' as const), count: fc.constant(3) }),
  },
);

test('returns the same as a map after any additions, removals, merges, rollbacks and restarts', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { minLength: 1, maxLength: 60 }), (isMerging, steps) => {
      const store = memoryIndex();
      // A reader of another thread, and one that shares the directory of the writer.
      const other = new HashLookup(store.connection);
      const sharing = new HashLookup(store.connection, () => store.index.directory);
      /** The hash of each row: row i has the hash of number model[i]. */
      const model: number[] = [];
      let fresh = 0;
      const add = (count: number): void => {
        for (let i = 0; i < count; i++) {
          store.index.add(transaction, hashOf(fresh), model.length);
          model.push(fresh++);
        }
      };
      const remove = (count: number): void => {
        for (let i = 0; i < count && model.length > 0; i++) {
          const number = model.pop() as number;
          store.index.remove(transaction, hashOf(number), model.length);
        }
      };
      if (isMerging) {
        store.change(() => add(40));
        while (!store.index.directory.runs.some(isHalfMerged)) store.change(() => add(1));
        store.reopen();
      }
      for (const { kind, count } of steps) {
        if (kind === 'add') store.change(() => add(count));
        if (kind === 'remove') store.change(() => remove(count));
        if (kind === 'reopen') store.reopen();
        if (kind === 'replace') {
          store.change(() => {
            remove(count);
            store.index.flush();
            add(count);
            for (const [id, number] of model.entries())
              expect(store.index.candidates(transaction, hashOf(number))).toEqual([id]);
          });
        }
        if (kind === 'rollback') {
          const before = [...model];
          store.change(() => {
            remove(count);
            store.index.flush();
            add(20 * count);
          }, 'ROLLBACK');
          model.splice(0, model.length, ...before);
        }
        for (const [id, number] of model.entries()) {
          if (id % 3 === 0) expect(other.candidates(transaction, hashOf(number))).toEqual([id]);
        }
      }
      const known = new Map(model.map((number, id) => [number, id]));
      for (let number = 0; number < fresh; number++) {
        const wanted = known.has(number) ? [known.get(number)] : [];
        for (const source of [store.index, other, sharing]) {
          expect(source.candidates(transaction, hashOf(number))).toEqual(wanted);
          expect(source.candidates(block, hashOf(number))).toEqual([]);
        }
      }
      expect(countEntries(store.connection, store.index.directory, transaction)).toBe(model.length);
    }),
    { numRuns: 40 },
  );
});

test('compaction leaves few runs and frees all pages and filters of merged runs', () => {
  const store = memoryIndex();
  for (let id = 0; id < 2000; id += 4) store.add(id, id + 4);
  const { runs } = store.index.directory;
  expect(runs.length).toBeLessThan(2 * Math.log2(2000));
  const keys = runs.flatMap(pagesOf);
  expect(store.count('hash_pages')).toBe(keys.length);
  const filters = new Set(keys.map(filterKey));
  expect(store.count('hash_filters')).toBe(filters.size);
  expect(store.index.directory.filters.size).toBe(filters.size);
  expect(keys.length).toBeLessThan((2 * 2000) / 3 + 2 * runs.length);
});

test('a small change performs a small part of a large merge', () => {
  const store = memoryIndex({ fanIn: 2, pageEntries: 50 });
  const changes = (): number =>
    store.connection.prepare<[], [number]>('SELECT total_changes()').raw(true).get()?.[0] ?? NaN;
  store.add(0, 10_000);
  for (let id = 10_000; !store.index.directory.runs.some(({ width }) => width < FINGERPRINT_LIMIT / 256); id += 500)
    store.add(id, id + 500);
  const most = Math.max(
    ...range(30_000, 30_200).map((id) => {
      const before = changes();
      store.add(id, id + 1);
      return changes() - before;
    }),
  );
  expect(most).toBeLessThan(60);
  expect(store.index.directory.runs.some(isHalfMerged)).toBe(true);
});

test('a restart in the middle of a merge continues the merge', () => {
  const { store, end } = halfMerged();
  const findAll = (): void =>
    range(0, end).forEach((id) => expect(store.index.candidates(keyImage, hashOf(id))).toEqual([id]));
  findAll();
  const before = store.index.directory;
  store.reopen();
  expect(store.index.directory).toEqual(before);
  findAll();
  store.add(end, end + 400);
  expect(store.index.directory.runs.filter(isHalfMerged)).toEqual([]);
  findAll();
});

test('a miss reads hardly any page if the filters are in memory', () => {
  const store = memoryIndex({ fanIn: 8, pageEntries: 900 });
  store.add(0, 20_000);
  const reads = jest.spyOn(store.index, 'entriesOf');
  const found = range(20_000, 40_000).flatMap((id) => store.index.candidates(keyImage, hashOf(id)));
  // Fingerprints depend on a random key: two hashes with the same fingerprint are rare, but possible.
  expect(found.length).toBeLessThan(4);
  expect(reads.mock.calls.length).toBeLessThan(140);
  const bytes = [...store.index.directory.filters.values()].reduce((sum, { length }) => sum + length, 0);
  expect(bytes / 20_000).toBeLessThan(1.51);
});

test.each([
  ['two rows', 100],
  ['one row', 0],
])('a merge reports an image that has two entries, of %s', (_, second) => {
  const connection = new SqliteConnection(':memory:');
  createHashIndexes(connection);
  const index = new HashIndex(connection, (_kind, a, b) => a % 100 === b % 100, SMALL_RUNS);
  const add = (...ids: number[]): void => {
    for (const id of ids) index.add(keyImage, hashOf(id % 100), id);
    index.flush();
  };
  add(0, 1, 2, 3, 4);
  expect(() => add(second, 5, 6, 7, 8)).toThrow(
    new CorruptDatabase(`the look-up of key images has one of them twice, in rows 0 and ${second}`),
  );
});

describe('a missing row is an error, never an unknown key image', () => {
  const ids = range(0, 60);

  function sources() {
    const store = memoryIndex();
    for (const id of ids.filter((one) => one % 10 === 0)) store.add(id, id + 10);
    return { ...store, other: new HashLookup(store.connection), store };
  }

  test('a page', () => {
    const { store, other, connection } = sources();
    const keys = store.index.directory.runs.flatMap(pagesOf);
    expect(keys.length).toBeGreaterThan(10);
    for (const key of keys) {
      const isEmpty = store.index.entriesOf(key).length === 0;
      connection.exec(`SAVEPOINT damage; DELETE FROM hash_pages WHERE id = ${key}`);
      store.reopen();
      for (const source of [store.index, other]) {
        const failed = ids.filter((id) => {
          try {
            expect(source.candidates(keyImage, hashOf(id))).toEqual([id]);
            return false;
          } catch (error) {
            expect(error).toEqual(new CorruptDatabase(`page ${key} of the hash look-ups is missing`));
            return true;
          }
        });
        if (source === other && !isEmpty) expect(failed).not.toEqual([]);
      }
      connection.exec('ROLLBACK TO damage; RELEASE damage');
    }
  });

  test('a run', () => {
    const { store, connection } = sources();
    const { runs } = store.index.directory;
    for (const run of runs) {
      const manifest = JSON.stringify(runs.filter((one) => one !== run));
      connection.prepare('UPDATE hash_state SET manifest = ?').run(manifest);
      store.reopen();
      expect(() => store.index.candidates(keyImage, hashOf(0))).toThrow(
        /the run of filter \d+ of the hash look-ups is missing/,
      );
    }
  });

  test('the manifest', () => {
    const { store, connection, other } = sources();
    connection.exec('DELETE FROM hash_state');
    store.reopen();
    for (const source of [store.index, other]) {
      expect(() => source.candidates(keyImage, hashOf(0))).toThrow(
        new CorruptDatabase('the manifest of the hash look-ups is missing'),
      );
    }
  });

  test('without a filter the page is read', () => {
    const { store, connection } = sources();
    connection.exec('DELETE FROM hash_filters');
    store.reopen();
    for (const id of ids) expect(store.index.candidates(keyImage, hashOf(id))).toEqual([id]);
  });

  test('a page that a merge or a removal needs', () => {
    const { store, connection } = sources();
    connection.exec('DELETE FROM hash_pages');
    expect(() => store.change(() => store.index.remove(keyImage, hashOf(3), 3))).toThrow(CorruptDatabase);
    expect(() => range(0, 9).forEach((i) => store.add(100 * i, 100 * i + 40))).toThrow(CorruptDatabase);
  });

  test('an entry that is removed', () => {
    const { store } = sources();
    expect(() =>
      store.change(() => {
        store.index.remove(keyImage, hashOf(3), 3);
        store.index.remove(keyImage, hashOf(3), 3);
      }),
    ).toThrow(new CorruptDatabase('row 3 is missing in the look-up of key images'));
    expect(store.index.candidates(keyImage, hashOf(3))).toEqual([3]);
  });
});

test('a reader of an older state does not use the newer directory of the writer', () => {
  const store = memoryIndex();
  store.add(0, 40);
  const older = readDirectory(store.connection, true);
  store.add(40, 80);
  const reader = new HashLookup(store.connection, () => older);
  for (const id of range(0, 80)) expect(reader.candidates(keyImage, hashOf(id))).toEqual([id]);
});

test('entries with the same fingerprint are adjacent, and each is removed separately', () => {
  const fingerprints = new Fingerprints(Buffer.alloc(32, 1));
  const seen = new Set(range(0, 5000).map((id) => fingerprints.of(hashOf(id))));
  expect(seen.size).toBe(5000);
  for (const one of seen) expect(one).toBeLessThan(FINGERPRINT_LIMIT);
  expect(Math.max(...seen)).toBeGreaterThan(FINGERPRINT_LIMIT * 0.99);
  expect(fingerprints.of(hashOf(1))).not.toBe(new Fingerprints(Buffer.alloc(32, 2)).of(hashOf(1)));

  const store = memoryIndex();
  const same = jest.spyOn(Fingerprints.prototype, 'of').mockReturnValue(77);
  store.add(0, 8);
  store.add(8, 16);
  const sorted = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);
  expect(sorted(store.index.candidates(keyImage, hashOf(3)))).toEqual(range(0, 16));
  expect(sorted(new HashLookup(store.connection).candidates(keyImage, hashOf(3)))).toEqual(range(0, 16));
  store.change(() => store.index.remove(keyImage, hashOf(5), 5));
  expect(sorted(store.index.candidates(keyImage, hashOf(3)))).toEqual(range(0, 16).filter((id) => id !== 5));
  same.mockRestore();
});

test('finds fingerprints at the bounds of pages and of a merge', () => {
  // All fingerprints are such bounds: pages hold ranges whose width is a power of two.
  const step = FINGERPRINT_LIMIT / 1024;
  const coarse = jest
    .spyOn(Fingerprints.prototype, 'of')
    .mockImplementation((hash) => (((hash[0] ?? 0) * 256 + (hash[1] ?? 0)) % 1024) * step);
  const store = memoryIndex();
  const other = new HashLookup(store.connection);
  let merges = 0;
  store.add(0, 200);
  for (let id = 200; id < 280; id += 2) {
    store.add(id, id + 2);
    merges += Number(store.index.directory.runs.some(isHalfMerged));
    for (const source of [store.index, other]) {
      const missing = range(0, id + 2).filter((one) => !source.candidates(keyImage, hashOf(one)).includes(one));
      expect(missing).toEqual([]);
    }
  }
  expect(merges).toBeGreaterThan(10);
  coarse.mockRestore();
});

test('sorted entries have all additions, including extremes', () => {
  const fingerprint = fc.oneof(fc.integer({ min: 0, max: FINGERPRINT_LIMIT - 1 }), fc.constant(FINGERPRINT_LIMIT - 1));
  const id = fc.oneof(fc.integer({ min: 0, max: ID_LIMIT - 1 }), fc.constant(ID_LIMIT - 1));
  fc.assert(
    fc.property(fc.array(fc.tuple(fingerprint, id), { maxLength: 40 }), (pairs) => {
      const entries = sortEntries(pairs.map((pair) => entryOf(...pair)));
      const found = pairs.map((_, i) => [fingerprintAt(entries, i), (entries[i * 2] as number) % ID_LIMIT]);
      expect(found).toEqual([...pairs].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
      const filter = Buffer.alloc(1 + 2 * pairs.length);
      pairs.forEach(([one]) => mayContain(filter, one, true));
      for (const [one, row] of pairs) {
        expect(idsOf(entries, one)).toContain(row);
        expect(mayContain(filter, one)).toBe(true);
      }
    }),
  );
  expect(idsOf(new Uint32Array(0), 0)).toEqual([]);
  expect(mayContain(Buffer.alloc(1), 0)).toBe(false);
});

test('rejects a row id of more than 30 bits', () => {
  const { index } = memoryIndex();
  for (const id of [-1, ID_LIMIT, NaN]) expect(() => index.add(keyImage, hashOf(0), id)).toThrow(RangeError);
});
