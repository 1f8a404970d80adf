import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseTransaction } from '@wrkz/core-types';
import fc from 'fast-check';
import { POOL_BYTES, UNMINABLE_BYTES } from '../src/mempool/limits';
import { PoolTransaction } from '../src/mempool/pool-transaction';
import { comparePriority } from '../src/mempool/priority';
import { PoolStore } from '../src/mempool/store';
import { bench, commit, hashOf, made, type Shape } from './support/pool';

describe('the order of the pool', () => {
  const entry = (shape: Shape, receivedAt = 0, sequence = 0): PoolTransaction =>
    new PoolTransaction(parseTransaction(made(shape)), receivedAt, sequence);

  it.each<[string, Shape, Shape]>([
    ['more fee per byte', { fee: 100n }, { fee: 10n }],
    ['more fee per byte, though less fee', { fee: 100n }, { fee: 110n, padding: 200 }],
    ['the larger output total', { amount: 5000n }, { amount: 4000n }],
  ])('puts %s first', (_, better, worse) => {
    expect(comparePriority(entry(better), entry(worse))).toBeLessThan(0);
    expect(comparePriority(entry(worse), entry(better))).toBeGreaterThan(0);
  });

  it('then prefers more inputs per output, then smaller size, then higher age', () => {
    const merge = entry({ fee: 0n, inputs: 4, outputs: 1 });
    const split = entry({ fee: 0n, inputs: 2, outputs: 2 });
    expect(comparePriority(merge, split)).toBeLessThan(0);
    // 3 / 2 is rounded down to 1, so the size decides.
    expect(comparePriority(split, entry({ fee: 0n, inputs: 3, outputs: 2 }))).toBeLessThan(0);
    expect(comparePriority(entry({ fee: 0n }), entry({ fee: 0n, padding: 9 }))).toBeLessThan(0);
    expect(comparePriority(entry({}, 5), entry({}, 6))).toBeLessThan(0);
    expect(comparePriority(entry({}, 5, 1), entry({}, 5, 2))).toBeLessThan(0);
  });

  it('is maintained while transactions are added and removed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ fee: fc.bigInt(1n, 50n), padding: fc.nat(40), drop: fc.boolean() }), { maxLength: 40 }),
        async (steps) => {
          const { pool } = bench();
          for (const { fee, padding, drop } of steps) {
            await pool.add(made({ fee, padding }), 'p2p');
            if (drop) pool.remove(pool.hashes()[pool.size >> 1]!, 'NotActual');
          }
          const list = pool.list();
          expect([...list].sort(comparePriority)).toEqual(list);
          expect(pool.bytes).toBe(list.reduce((sum, { size }) => sum + size, 0));
        },
      ),
      { numRuns: 30 },
    );
  });
});

test('a large pool can be read from its lowest to its highest priority', () => {
  const store = new PoolStore();
  for (let i = 0; i < 1_200; i += 1) {
    store.add(new PoolTransaction(parseTransaction(made({ fee: BigInt(10 + ((i * 7) % 600)) })), 0, i));
  }
  const numbers = (entries: Iterable<PoolTransaction>): number[] => Array.from(entries, ({ sequence }) => sequence);
  const order = [...store.inOrder()].sort(comparePriority);
  expect(numbers(store.inOrder())).toEqual(numbers(order));
  expect(numbers(store.fromWorst())).toEqual(numbers(order).reverse());
});

describe('the cost of a large pool', () => {
  it('is little more memory than the bytes of its transactions', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const store = new PoolStore();
    const used = (): number => (collect(), process.memoryUsage().heapUsed);
    const count = 5_000;
    const before = used();
    for (let i = 0; i < count; i += 1) store.add(new PoolTransaction(parseTransaction(made()), 0, i));
    expect((used() - before) / count).toBeLessThan(1_200);
    expect(store.size).toBe(count);
  });

  it('grows with the logarithm of its size for each addition, removal and eviction', () => {
    const store = new PoolStore();
    const entries = Array.from(
      { length: 4096 },
      (_, i) => new PoolTransaction(parseTransaction(made({ fee: BigInt(10 + ((i * 7919) % 4093)) })), 0, i),
    );
    for (const entry of entries) store.add(entry);
    let reads = 0;
    // Each comparison reads the size of both.
    const counted = new PoolTransaction(parseTransaction(made({ fee: 2000n })), 0, 9999);
    const { size } = counted;
    Object.defineProperty(counted, 'size', { get: () => (reads++, size) });
    store.add(counted);
    store.remove(counted.id);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(2 * (2 * 2 * 14));
    expect(store.inOrder()).toEqual([...entries].sort(comparePriority));
    const before = store.inOrder();
    for (let size = store.size; size > 0; size--)
      for (const worst of store.fromWorst()) {
        store.remove(worst.id);
        break;
      }
    expect([store.size, store.bytes, before.length]).toEqual([0, 0, 4096]);
  });
});

describe('a pool over its budget', () => {
  it('evicts as many low-priority transactions as a better one needs, and rejects a worse one', async () => {
    const { pool, validator, gone } = bench();
    const padding = 1_000_000;
    const count = Math.floor(POOL_BYTES / (padding + 200));
    const held = Array.from({ length: count }, (_, i) => made({ fee: BigInt(1000 + i), padding }));
    for (const bytes of held) await pool.add(bytes, 'p2p');
    expect(await pool.add(made({ fee: 1n, padding }), 'p2p')).toMatchObject({ message: 'Transaction pool is full' });
    // It took no proofs.
    expect(validator.validated).toBe(count);
    // It is better than the worst, but needs the places of better ones too.
    const large = made({ fee: 2001n, padding: 2 * padding });
    expect(await pool.add(large, 'p2p')).toMatchObject({ message: 'Transaction pool is full' });
    expect(gone).toEqual([]);
    const best = made({ fee: 9000n, padding: 2 * padding });
    expect(await pool.add(best, 'p2p')).toMatchObject({ accepted: true });
    expect(gone).toEqual(held.slice(0, 2).map((bytes) => `NotActual ${hashOf(bytes).toString('hex')}`));
    expect(pool.bytes).toBeLessThanOrEqual(POOL_BYTES);
    expect(pool.list()[0]?.bytes.equals(best)).toBe(true);
  });

  it('evicts no more than a transaction of the same size needs in a pool that is full to the byte', async () => {
    const { pool, gone } = bench();
    const padding = 1_000_000;
    const held = Array.from({ length: Math.floor(POOL_BYTES / (padding + 200)) }, () => made({ fee: 1000n, padding }));
    for (const bytes of held) await pool.add(bytes, 'p2p');
    const overhead = made({ fee: 8000n, padding }).length - padding;
    await pool.add(made({ fee: 8000n, padding: POOL_BYTES - pool.bytes - overhead }), 'p2p');
    expect(pool.bytes).toBe(POOL_BYTES);
    expect(await pool.add(made({ fee: 9000n, padding }), 'p2p')).toMatchObject({ accepted: true });
    expect(gone).toHaveLength(1);
    expect(pool.bytes).toBe(POOL_BYTES);
  });

  it('holds few transactions that are too large for a template, with any fee', async () => {
    const { pool, validator, gone } = bench();
    validator.templateBytes = 100_000;
    // Transactions that fit a template do not count.
    for (let i = 0; i < 12; i++) await pool.add(made({ padding: 90_000 }), 'p2p');
    const results = [];
    for (let i = 0; i < 60; i++) {
      results.push(await pool.add(made({ fee: 10n ** 9n, padding: 120_000 }), 'p2p'));
    }
    expect(results.filter(({ accepted }) => accepted)).toHaveLength(Math.floor(UNMINABLE_BYTES / 120_200));
    expect(results.at(-1)).toMatchObject({ message: 'Transaction pool is full', scope: 'none' });
    // The others took no proofs.
    expect(validator.validated).toBe(12 + Math.floor(UNMINABLE_BYTES / 120_200));
    expect(await pool.add(made({ fee: 1n, padding: 90_000 }), 'p2p')).toMatchObject({ accepted: true });
    expect(gone).toEqual([]);
  });

  it('holds few transactions whose unlock time is too near for templates, with any fee', async () => {
    const { pool, validator, gone } = bench();
    validator.tooNear.add(7n);
    const add = (): Promise<object> => pool.add(made({ fee: 10n ** 9n, padding: 90_000, unlockTime: 7n }), 'rpc');
    const results = [];
    for (let i = 0; i < 30; i++) results.push(await add());
    const held = Math.floor(UNMINABLE_BYTES / 90_200);
    expect([pool.size, validator.validated]).toEqual([held, held]);
    expect(results.at(-1)).toMatchObject({ message: 'Transaction pool is full', scope: 'none' });
    expect(await pool.add(made({ fee: 1n, padding: 90_000 }), 'p2p')).toMatchObject({ accepted: true });
    expect(gone).toEqual([]);
    // A block makes the unlock time of the next ones far enough.
    validator.tooNear.clear();
    await pool.onCommit(commit({}));
    expect(await add()).toMatchObject({ accepted: true });
  });

  it('does not count the transactions that templates omit again for each one that is refused', async () => {
    const { pool, validator } = bench();
    validator.tooNear.add(7n);
    for (let i = 0; i < 1_000; i++) await pool.add(made(), 'rpc');
    const omitted = (): Promise<object> => pool.add(made({ padding: 90_000, unlockTime: 7n }), 'p2p');
    while (pool.size < 1_000 + Math.floor(UNMINABLE_BYTES / 90_200)) await omitted();
    validator.nearChecks = 0;
    for (let i = 0; i < 100; i++) {
      expect(await omitted()).toMatchObject({ message: 'Transaction pool is full' });
      await pool.add(made(), 'rpc');
    }
    expect(validator.nearChecks).toBeLessThan(2_000);
  });

  it('reserves space for other sources during a flood from one source', async () => {
    const { pool, validator } = bench();
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const flood = Array.from({ length: 5000 }, () => pool.add(made(), 'p2p'));
    const honest = Array.from({ length: 100 }, () => pool.add(made(), 'rpc'));
    open();
    expect((await Promise.all(honest)).filter(({ accepted }) => accepted)).toHaveLength(100);
    expect((await Promise.all(flood)).filter(({ accepted }) => accepted)).toHaveLength(4096 + 16 - 100);
  });

  it('checks transactions of the sources round-robin', async () => {
    const { pool, validator } = bench();
    const order: string[] = [];
    pool.on('added', ({ source }) => order.push(source));
    let open = (): void => undefined;
    validator.gate = new Promise((resolve) => (open = resolve));
    const all = [
      ...Array.from({ length: 100 }, () => pool.add(made(), 'p2p')),
      ...Array.from({ length: 5 }, () => pool.add(made(), 'rpc')),
    ];
    open();
    await Promise.all(all);
    expect(order.slice(16, 26).filter((source) => source === 'rpc')).toHaveLength(5);
  });
});
