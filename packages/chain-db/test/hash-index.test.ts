import { SqliteConnection } from '@wrkz/sqlite';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { CorruptDatabase } from '../src';
import { RunDirectory } from '../src/hash-index/directory';
import { Fingerprints } from '../src/hash-index/fingerprint';
import { HashIndex } from '../src/hash-index/hash-index';
import { HASH_KINDS, type HashKind } from '../src/hash-index/kinds';
import { HashLookup } from '../src/hash-index/lookup';
import { decodePage, encodePage } from '../src/hash-index/page';
import { createHashIndexes } from '../src/hash-index/schema';
import { SMALL_RUNS } from './support/small-runs';

const { keyImage, transaction, block } = HASH_KINDS;
const hashOf = (id: number): Buffer => createHash('sha256').update(String(id)).digest();

/** The look-ups alone, in memory; rows are compared by what `hashOf` says. */
function memoryIndex(limits = SMALL_RUNS) {
  const connection = new SqliteConnection(':memory:');
  createHashIndexes(connection);
  const open = (): HashIndex => new HashIndex(connection, (_, a, b) => hashOf(a).equals(hashOf(b)), limits);
  let index = open();
  return {
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
    entries(kind: HashKind): number {
      const count = (sql: string): number => connection.prepare<[], [number]>(sql).raw(true).get()?.[0] ?? 0;
      const pages = connection.prepare<[], [number, Buffer]>('SELECT id, entries FROM hash_pages').raw(true).all();
      const runs = new Set(RunDirectory.load(connection).runs.flatMap((run) => (run.kind === kind ? [run.run] : [])));
      return pages
        .filter(([id]) => runs.has(Math.floor(id / 2 ** 40)))
        .reduce(
          (sum, [id, bytes]) => sum + (decodePage(id, bytes)?.ids.length ?? NaN),
          count(`SELECT count(*) FROM hash_recent WHERE kind = ${kind}`),
        );
    },
  };
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), count: fc.integer({ min: 1, max: 30 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), count: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('merge' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('rollback' as const, 'reopen' as const), count: fc.constant(3) }),
  },
);

test('any run of additions, removals, merges, rollbacks and reopenings finds what a map finds, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const store = memoryIndex();
      // Both live through all of it, as a reader of another thread does, and one of the writer's own.
      const cold = new HashLookup(store.connection);
      const warm = new HashLookup(store.connection, () => store.index.directory);
      /** The hash of each row; row i has the hash of number model[i]. */
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
      for (const { kind, count } of steps) {
        if (kind === 'add') store.change(() => add(count));
        if (kind === 'remove') store.change(() => remove(count));
        if (kind === 'reopen') store.reopen();
        if (kind === 'merge') {
          for (let i = 0; i < count && store.index.isMergeDue; i++) store.change(() => store.index.merge());
        }
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
            add(2 * count);
          }, 'ROLLBACK');
          model.splice(0, model.length, ...before);
        }
        for (const [id, number] of model.entries()) {
          if (id % 3 === 0) expect(cold.candidates(transaction, hashOf(number))).toEqual([id]);
        }
      }
      const known = new Map(model.map((number, id) => [number, id]));
      for (let number = 0; number < fresh; number++) {
        const wanted = known.has(number) ? [known.get(number)] : [];
        for (const source of [store.index, cold, warm]) {
          expect(source.candidates(transaction, hashOf(number))).toEqual(wanted);
          expect(source.candidates(block, hashOf(number))).toEqual([]);
        }
      }
      expect(store.entries(transaction)).toBe(model.length);
    }),
    { numRuns: 60 },
  );
});

test('merging goes on to the end, keeps few runs, and gives every page back', () => {
  const store = memoryIndex();
  for (let id = 0; id < 400; id += 4) {
    store.change(() => {
      for (let i = id; i < id + 4; i++) store.index.add(keyImage, hashOf(i), i);
    });
    while (store.index.isMergeDue) store.change(() => store.index.merge());
  }
  const { runs } = store.index.directory;
  expect(new Set(runs.map(({ level }) => level)).size).toBe(runs.length);
  expect(Math.max(...runs.map(({ level }) => level))).toBeGreaterThan(3);
  const pages = runs.reduce((sum, { firsts }) => sum + firsts.length, 0);
  for (const table of ['hash_pages', 'hash_filters']) {
    expect(store.connection.prepare(`SELECT count(*) FROM ${table}`).raw(true).get()).toEqual([pages]);
  }
  expect(pages).toBeLessThan(400 / 3 + 40);
});

test('a miss reads no page where the filters are at hand', () => {
  const store = memoryIndex({ recent: 1000, fanIn: 8, step: 1000, page: 900 });
  store.change(() => {
    for (let id = 0; id < 5000; id++) store.index.add(keyImage, hashOf(id), id);
  });
  const { directory } = store.index;
  const fingerprints = store.index.fingerprints;
  let pages = 0;
  for (let id = 5000; id < 15_000; id++) pages += directory.pages(keyImage, fingerprints.of(hashOf(id))).length;
  expect(pages).toBeLessThan(30);
  expect(directory.bytes / 5000).toBeLessThan(2.1);
});

test('what is expected is found as when it is asked for alone, also after the runs have changed', () => {
  const store = memoryIndex();
  const add = (from: number, end: number): void =>
    store.change(() => {
      for (let id = from; id < end; id++) store.index.add(keyImage, hashOf(id), id);
    });
  const all = Array.from({ length: 300 }, (_, id) => id);
  const found = (): number[][] => all.map((id) => store.index.candidates(keyImage, hashOf(id)));
  const expectAll = (): void => store.index.expect(keyImage, all.map(hashOf));
  const asked = jest.spyOn(store.index.directory, 'pages');
  for (let id = 0; id < 150; id += 10) add(id, id + 10);

  const alone = found();
  expect(alone.filter((ids) => ids.length > 0)).toHaveLength(150);
  expect(asked).toHaveBeenCalledTimes(300);
  expectAll();
  expect(found()).toEqual(alone);
  expect(asked).toHaveBeenCalledTimes(300);
  expect(store.index.candidates(transaction, hashOf(1))).toEqual([]);
  expect(store.index.candidates(keyImage, hashOf(1000))).toEqual([]);

  expectAll();
  store.change(() => store.index.merge());
  expect(found()).toEqual(alone);
  expectAll();
  add(150, 200);
  expect(found().filter((ids) => ids.length > 0)).toHaveLength(200);
  expectAll();
  store.change(() => {
    store.index.remove(keyImage, hashOf(7), 7);
  });
  expect(found()[7]).toEqual([]);
  store.change(() => {
    for (let id = 200; id < 250; id++) store.index.add(keyImage, hashOf(id), id);
    store.index.flush();
    expectAll();
  }, 'ROLLBACK');
  add(250, 300); // the same number of changes as those that were rolled back
  expect(found().slice(250).flat()).toHaveLength(50);
});

test('an image that stands twice is found by the merge and named', () => {
  const store = memoryIndex();
  const twice = hashOf(0);
  store.change(() => {
    for (let id = 0; id < 5; id++) store.index.add(keyImage, hashOf(id), id);
  });
  store.change(() => {
    store.index.add(keyImage, twice, 0);
    for (let id = 5; id < 9; id++) store.index.add(keyImage, hashOf(id), id);
  });
  expect(() => {
    while (store.index.isMergeDue) store.change(() => store.index.merge());
  }).toThrow(new CorruptDatabase('the look-up of key images has one of them twice, in rows 0 and 0'));
  expect(store.index.candidates(keyImage, hashOf(7))).toEqual([7]);
});

test('a flipped bit in a page, a filter or the secret is an error and never an unknown image', () => {
  const flip = (bytes: Buffer, bit: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
    return copy;
  };
  const columns = [
    ['hash_pages', 'entries'],
    ['hash_filters', 'bits'],
    ['hash_state', 'seed'],
  ] as const;
  for (const [table, column] of columns) {
    const store = memoryIndex();
    store.change(() => {
      for (let id = 0; id < 5; id++) store.index.add(keyImage, hashOf(id), id);
    });
    const read = store.connection
      .prepare<[], [number, Buffer]>(`SELECT id, ${column} FROM ${table} ORDER BY id`)
      .raw(true);
    const [id, bytes] = read.get() as [number, Buffer];
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      store.connection.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(flip(bytes, bit), id);
      store.reopen();
      expect(() => [0, 1, 2, 3, 4].map((one) => store.index.candidates(keyImage, hashOf(one)))).toThrow(
        CorruptDatabase,
      );
    }
  }
});

describe('a row of the look-ups that is not where it was written is an error and never an unknown image', () => {
  const ids = Array.from({ length: 12 }, (_, id) => id);

  function damaged(sql: string) {
    const store = memoryIndex();
    store.change(() => ids.forEach((id) => store.index.add(keyImage, hashOf(id), id)));
    store.connection.exec(sql);
    store.reopen();
    return store;
  }

  test.each([
    ['two pages are exchanged', swap('hash_pages', 'entries')],
    ['two filters are exchanged', swap('hash_filters', 'bits')],
    ['a filter is gone', 'DELETE FROM hash_filters WHERE id = (SELECT min(id) FROM hash_filters)'],
    ['a filter has another key', 'UPDATE hash_filters SET id = id + 5 WHERE id = (SELECT max(id) FROM hash_filters)'],
    ['a run is of another kind', `UPDATE hash_runs SET kind = ${transaction}`],
    ['a run is of another level', 'UPDATE hash_runs SET level = level + 1'],
    ['a run has a target', 'UPDATE hash_runs SET target = 77'],
  ])('%s', (_, sql) => {
    const store = damaged(sql);
    expect(() => ids.map((id) => store.index.candidates(keyImage, hashOf(id)))).toThrow(CorruptDatabase);
  });

  test('also for a reader that keeps its own filters', () => {
    const store = memoryIndex();
    store.change(() => ids.forEach((id) => store.index.add(transaction, hashOf(id), id)));
    store.connection.exec('DELETE FROM hash_filters WHERE id = (SELECT max(id) FROM hash_filters)');
    const cold = new HashLookup(store.connection);
    expect(() => ids.map((id) => cold.candidates(transaction, hashOf(id)))).toThrow(CorruptDatabase);
  });

  function swap(table: string, column: string): string {
    const of = (which: string): string =>
      `SELECT ${column} AS bytes FROM ${table} WHERE id = (SELECT ${which}(id) FROM ${table})`;
    return `CREATE TEMP TABLE low AS ${of('min')}; CREATE TEMP TABLE high AS ${of('max')};
      UPDATE ${table} SET ${column} = (SELECT bytes FROM high) WHERE id = (SELECT min(id) FROM ${table});
      UPDATE ${table} SET ${column} = (SELECT bytes FROM low) WHERE id = (SELECT max(id) FROM ${table});`;
  }
});

test('entries of one fingerprint stay together, and the rows tell them apart', () => {
  const fingerprints = new Fingerprints(Buffer.alloc(32, 1));
  const seen = new Set(Array.from({ length: 5000 }, (_, id) => fingerprints.of(hashOf(id))));
  expect(seen.size).toBe(5000);
  for (const one of seen) expect(one).toBeLessThan(2 ** 40);
  expect(fingerprints.of(hashOf(1))).not.toBe(new Fingerprints(Buffer.alloc(32, 2)).of(hashOf(1)));

  const store = memoryIndex();
  const same = jest.spyOn(Fingerprints.prototype, 'of').mockReturnValue(77);
  store.change(() => {
    for (let id = 0; id < 8; id++) store.index.add(keyImage, hashOf(id), id);
  });
  store.change(() => {
    for (let id = 8; id < 16; id++) store.index.add(keyImage, hashOf(id), id);
  });
  while (store.index.isMergeDue) store.change(() => store.index.merge());
  const all = Array.from({ length: 16 }, (_, id) => id);
  expect(store.index.candidates(keyImage, hashOf(3))).toEqual(all);
  expect(new HashLookup(store.connection).candidates(keyImage, hashOf(3))).toEqual(all);
  same.mockRestore();
});

test('a page is what was written, or nothing', () => {
  const entries = { fingerprints: Float64Array.of(0, 5, 2 ** 40 - 1), ids: Uint32Array.of(9, 0, 2 ** 32 - 1) };
  expect(decodePage(8, encodePage(8, entries, 0, 3))).toEqual(entries);
  expect(decodePage(8, encodePage(8, entries, 1, 1))?.ids.length).toBe(0);
  expect(decodePage(8, Buffer.alloc(0))).toBeUndefined();
  expect(decodePage(8, encodePage(8, entries, 0, 3).subarray(1))).toBeUndefined();
});
