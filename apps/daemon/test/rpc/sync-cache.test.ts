import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import type { ChainReader } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { chainA } from '@wrkz/testing';
import type { ChainService } from '../../src/chain/service';
import { type QueryRunner, runQuery, SyncCache } from '../../src/rpc';
import type { WalletSyncQuery } from '../../src/rpc/queries/wallet-sync';
import { readerOf } from './support/chain-of';

/* Cached sync responses equal fresh ones byte for byte (docs/protocol/rpc.md#cached-responses). */

const network = networkOf('devnet');
const blocks = chainA().slice(0, 406);
const caller = { client: '127.0.0.1', gone: new AbortController().signal };
const MIB = 1024 * 1024;

const readers = new Map<number, ChainReader>();

/** A reader of the blocks up to a tip. */
function readerAt(tip: number): ChainReader {
  const known = readers.get(tip) ?? Object.assign(readerOf(blocks.slice(0, tip + 1)), { firstHeightFrom: () => 10 });
  readers.set(tip, known);
  return known;
}

/** A chain that may be given another height. */
function chain(height: number): {
  reader: ChainReader;
  queries: QueryRunner;
  requested: number;
  rise(to: number): void;
} {
  let now = height;
  const state = {
    requested: 0,
    reader: {
      tip: () => readerAt(now).tip(),
      heightOf: (hash: Buffer) => readerAt(now).heightOf(hash),
      floors: () => readerAt(now).floors(),
    } as ChainReader,
    queries: {
      run: async (name, query) => {
        state.requested++;
        return runQuery(readerAt(now), network, name, query);
      },
    } as QueryRunner,
    rise: (to: number) => void (now = to),
  };
  return state;
}

const chainEvents = (): EventEmitter & Pick<ChainService, 'on' | 'off'> => new EventEmitter();

const sync = (changes: Partial<WalletSyncQuery> = {}): WalletSyncQuery => ({
  checkpoints: Buffer.alloc(0),
  startHeight: 10,
  startTimestamp: 0,
  blockCount: 20,
  skipCoinbase: false,
  skipKeyOffsets: false,
  skipEmpty: false,
  endHeight: 0,
  encoding: 'hex',
  ...changes,
});

const whole = readerOf(blocks);
const hashAt = (height: number): Buffer => {
  const [stamp] = whole.blockStamps(height, height + 1).slice(-1);
  if (stamp === undefined) throw new Error('no such block');
  return stamp.hash;
};

test('caches a response, also for another form of its start', async () => {
  const state = chain(400);
  const cache = new SyncCache({ queries: state.queries, source: state, chain: chainEvents() }, MIB);
  const first = await cache.run('walletSyncData', sync(), caller);
  const again = await cache.run('walletSyncData', sync({ checkpoints: hashAt(9), startHeight: 300 }), caller);
  expect(again).toBe(first);
  expect(state.requested).toBe(1);
  expect(cache.figures).toMatchObject({ entries: 1, hits: 1, misses: 1 });
  expect(cache.figures.bytes).toBeGreaterThan(first.length);
});

test('does not cache responses that may change with the tip or need several reads', async () => {
  const state = chain(400);
  const cache = new SyncCache({ queries: state.queries, source: state, chain: chainEvents() }, MIB);
  for (const query of [
    sync({ startHeight: 201 }), // 20 blocks, and 180 above
    sync({ startHeight: 500 }),
    sync({ checkpoints: Buffer.concat([Buffer.alloc(32), hashAt(9)]) }),
    sync({ startHeight: 0, startTimestamp: 1_500_000_000 }),
    sync({ skipEmpty: true, skipCoinbase: true }), // may walk over 10,000 blocks
    sync({ endHeight: 5 }),
  ]) {
    await cache.run('walletSyncData', query, caller);
  }
  await cache.run('rawBlocks', sync(), caller);
  expect(cache.figures).toMatchObject({ entries: 0, hits: 0, misses: 0 });
  await cache.run('walletSyncData', sync({ startHeight: 200 }), caller);
  await cache.run('walletSyncData', sync({ skipEmpty: true, skipCoinbase: true, endHeight: 220 }), caller);
  expect(cache.figures).toMatchObject({ entries: 2, misses: 2 });
});

test('returns the same bytes as without a cache for any queries in any order while the chain grows', async () => {
  const query = fc.record({
    startHeight: fc.nat(420),
    blockCount: fc.integer({ min: 1, max: 60 }),
    endHeight: fc.oneof(fc.constant(0), fc.nat(420)),
    skipCoinbase: fc.boolean(),
    skipKeyOffsets: fc.boolean(),
    skipEmpty: fc.boolean(),
    encoding: fc.constantFrom('hex' as const, 'base64' as const),
    by: fc.oneof(fc.constant(undefined), fc.nat(200)),
    again: fc.boolean(),
    grow: fc.nat(2),
  });
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(query, { maxLength: 12 }), async (requested) => {
      let height = 400;
      const state = chain(height);
      const dependencies = { queries: state.queries, source: state, chain: chainEvents() };
      const cache = new SyncCache(dependencies, MIB);
      for (const { by, again, grow, ...rest } of requested) {
        const one = sync({ ...rest, checkpoints: by === undefined ? Buffer.alloc(0) : hashAt(by) });
        for (let i = 0; i < (again ? 2 : 1); i++) {
          const kept = await cache.run('walletSyncData', one, caller);
          expect(kept.equals(await state.queries.run('walletSyncData', one, caller))).toBe(true);
        }
        state.rise((height = Math.min(405, height + grow)));
      }
      hits += cache.figures.hits;
    }),
    { numRuns: 25 },
  );
  expect(hits).toBeGreaterThan(0);
});

describe('after a rewind', () => {
  test('drops all entries; a new block changes nothing', async () => {
    const events = chainEvents();
    const { reader, queries } = chain(400);
    const cache = new SyncCache({ queries, source: { reader }, chain: events }, MIB);
    await cache.run('walletSyncData', sync(), caller);
    events.emit('commit', { kind: 'append' });
    events.emit('commit', { kind: 'alternative' });
    expect(cache.figures.entries).toBe(1);
    events.emit('commit', { kind: 'switch' });
    expect(cache.figures).toMatchObject({ entries: 0, bytes: 0 });
  });

  test('returns a response that was requested before, without caching it', async () => {
    const events = chainEvents();
    const { reader } = chain(400);
    let respond = (_bytes: Buffer): void => undefined;
    const queries: QueryRunner = { run: () => new Promise((resolve) => (respond = resolve)) };
    const cache = new SyncCache({ queries, source: { reader }, chain: events }, MIB);
    const requested = cache.run('walletSyncData', sync(), caller);
    events.emit('commit', { kind: 'switch' });
    respond(Buffer.from('of the old chain'));
    expect(String(await requested)).toBe('of the old chain');
    expect(cache.figures.entries).toBe(0);
  });

  test('receives no events and holds nothing after close', () => {
    const events = chainEvents();
    const { reader, queries } = chain(400);
    new SyncCache({ queries, source: { reader }, chain: events }, MIB).close();
    expect(events.listenerCount('commit')).toBe(0);
  });
});

test('never exceeds its limit, and does not cache larger responses', async () => {
  const { reader } = chain(400);
  let size = 1000;
  const queries: QueryRunner = { run: async () => Buffer.alloc(size) };
  const cache = new SyncCache({ queries, source: { reader }, chain: chainEvents() }, 10_000);
  for (let start = 1; start < 100; start++) {
    await cache.run('walletSyncData', sync({ startHeight: start }), caller);
    expect(cache.figures.bytes).toBeLessThanOrEqual(10_000);
  }
  expect(cache.figures.entries).toBe(6);
  size = 20_000;
  await cache.run('walletSyncData', sync({ startHeight: 150 }), caller);
  expect(cache.figures.entries).toBe(6);
});

test('leaves nothing behind after a failed query', async () => {
  const { reader } = chain(400);
  const queries: QueryRunner = { run: () => Promise.reject(new Error('a defect')) };
  const cache = new SyncCache({ queries, source: { reader }, chain: chainEvents() }, MIB);
  await expect(cache.run('walletSyncData', sync(), caller)).rejects.toThrow('a defect');
  expect(cache.figures).toMatchObject({ entries: 0, misses: 1 });
});
