import { parseTransaction } from '@wrkz/core-types';
import fc from 'fast-check';
import { POOL_BYTES, POOL_BYTES_AFTER_EVICTION } from '../src/mempool/limits';
import { poolTransaction } from '../src/mempool/pool-transaction';
import { comparePriority } from '../src/mempool/priority';
import { PoolStore } from '../src/mempool/store';
import { bench, made, type Shape } from './support/pool';

describe('order', () => {
  const entry = (shape: Shape, receivedAt = 0, sequence = 0): ReturnType<typeof poolTransaction> =>
    poolTransaction(parseTransaction(made(shape)), receivedAt, sequence);

  it.each<[string, Shape, Shape]>([
    ['more fee per byte', { fee: 100n }, { fee: 10n }],
    ['more fee per byte, though less fee', { fee: 100n }, { fee: 110n, padding: 200 }],
    ['the larger output total', { amount: 5000n }, { amount: 4000n }],
  ])('%s goes first', (_, better, worse) => {
    expect(comparePriority(entry(better), entry(worse))).toBeLessThan(0);
    expect(comparePriority(entry(worse), entry(better))).toBeGreaterThan(0);
  });

  it('then more inputs for each output, less size, the older', () => {
    const merge = entry({ fee: 0n, inputs: 4, outputs: 1 });
    const split = entry({ fee: 0n, inputs: 2, outputs: 2 });
    expect(comparePriority(merge, split)).toBeLessThan(0);
    expect(comparePriority(entry({ fee: 0n }), entry({ fee: 0n, padding: 9 }))).toBeLessThan(0);
    expect(comparePriority(entry({}, 5), entry({}, 6))).toBeLessThan(0);
    expect(comparePriority(entry({}, 5, 1), entry({}, 5, 2))).toBeLessThan(0);
  });

  it('is kept while transactions come and go', async () => {
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

describe('the work of a large pool', () => {
  it('grows with the logarithm of its size for each addition, removal and eviction', () => {
    const store = new PoolStore();
    const entries = Array.from({ length: 4096 }, (_, i) =>
      poolTransaction(parseTransaction(made({ fee: BigInt(10 + ((i * 7919) % 4093)) })), 0, i),
    );
    for (const entry of entries) store.add(entry);
    let reads = 0;
    // Each comparison reads the size of both.
    const counted = poolTransaction(parseTransaction(made({ fee: 2000n })), 0, 9999);
    const { size } = counted;
    Object.defineProperty(counted, 'size', { get: () => (reads++, size) });
    store.add(counted);
    store.remove(counted.id);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(2 * (2 * 2 * 14));
    expect(store.inOrder()).toEqual([...entries].sort(comparePriority));
    const before = store.inOrder();
    for (let worst = store.worst(); worst !== undefined; worst = store.worst()) store.remove(worst.id);
    expect([store.size, store.bytes, before.length]).toEqual([0, 0, 4096]);
  });
});

describe('a pool over its budget', () => {
  it('throws out the least profitable down to 90 %, and refuses what would be the least', async () => {
    const { pool, gone } = bench();
    const padding = 1_000_000;
    const count = Math.floor(POOL_BYTES / (padding + 200));
    for (let i = 0; i < count; i++) await pool.add(made({ fee: BigInt(1000 + i), padding }), 'p2p');
    expect(await pool.add(made({ fee: 1n, padding }), 'p2p')).toMatchObject({ message: 'Transaction pool is full' });
    expect(gone).toEqual([]);
    const best = made({ fee: 9000n, padding });
    expect(await pool.add(best, 'p2p')).toMatchObject({ accepted: true });
    expect(pool.bytes).toBeLessThanOrEqual(POOL_BYTES_AFTER_EVICTION);
    expect(pool.bytes).toBeGreaterThan(POOL_BYTES_AFTER_EVICTION - 2 * padding);
    expect(gone.every((line) => line.startsWith('NotActual'))).toBe(true);
    expect(pool.list()[0]?.parsed.bytes.equals(best)).toBe(true);
  });
});
