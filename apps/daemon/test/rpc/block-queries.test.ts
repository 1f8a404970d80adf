import { join } from 'node:path';
import { type BlockStamp, type ChainDb, type ChainReader, openChainDb, plainPaymentId } from '@wrkz/chain-db';
import { networkOf, parseBlock, parseTransaction } from '@wrkz/core-types';
import { chainA, chainAHeaders } from '@wrkz/testing';
import fc from 'fast-check';
import { changesSince } from '../../src/rpc/handlers/transactions';
import type { PoolTransaction } from '../../src/mempool/pool-transaction';
import { runQuery } from '../../src/rpc';
import { blockRange } from '../../src/rpc/queries/query-blocks';
import { newSuite } from '../network/daemons';

/* Block queries of old wallets and explorers, and the limits of a response (docs/protocol/rpc.md#block-queries). */

const devnet = networkOf('devnet');
const MIB = 1024 * 1024;
const DAY = 86_400;

const json = <T>(response: Buffer): T => JSON.parse(response.toString('latin1')) as T;

interface Place {
  readonly startHeight: number;
  readonly fullOffset: number;
  readonly currentHeight: number;
}

describe('block queries on chain A', () => {
  const suite = newSuite();
  let db: ChainDb | undefined;
  const reader = (): ChainReader => {
    if (db === undefined) throw new Error('the database is not open');
    return db.reader;
  };

  beforeAll(async () => {
    const directory = join(await suite.chainA(), 'devnet');
    db = openChainDb({ directory, network: 'devnet', readonly: true });
  });
  afterAll(async () => {
    db?.close();
    await suite.stopAll();
  });

  type Entry = Readonly<Record<string, unknown>>;

  /** All blocks, requested from the last received one on; `id` is the field with the hash. */
  function walk(id: string, request: (blockIds: Buffer[]) => readonly Entry[]): { all: Entry[]; results: number } {
    const all: Entry[] = [];
    let ids: Buffer[] = [];
    for (let results = 1; ; results++) {
      const blocks = request(ids);
      all.push(...(all.length === 0 ? blocks : blocks.slice(1)));
      const last = all.at(-1)?.[id] as string;
      if (all.length === chainA().length) return { all, results };
      if (ids[0]?.toString('hex') === last) throw new Error('the response has no new block');
      ids = [Buffer.from(last, 'hex')];
    }
  }

  test('/queryblocksdetailed returns every block as the reference does', () => {
    const { all, results } = walk('hash', (blockIds) => {
      const query = { blockIds: Buffer.concat(blockIds), timestamp: 0, blockCount: 10_000 };
      return json<{ blocks: Entry[] }>(runQuery(reader(), devnet, 'queryBlocksDetailed', query)).blocks;
    });
    // All blocks exceed the limit of one response.
    expect(results).toBeGreaterThan(1);
    const headers = chainAHeaders();
    expect(
      all.map((block) => ({
        height: block['index'],
        hash: block['hash'],
        prev: block['prevBlockHash'],
        timestamp: block['timestamp'],
        nonce: block['nonce'],
        difficulty: block['difficulty'],
        size: block['transactionsCumulativeSize'],
        median: block['sizeMedian'],
        base: block['baseReward'],
        reward: block['reward'],
        fees: block['totalFeeAmount'],
        coins: block['alreadyGeneratedCoins'],
        generated: block['alreadyGeneratedTransactions'],
      })),
    ).toEqual(
      headers.map((header) => ({
        height: header.height,
        hash: header.hash,
        prev: header.prev_hash,
        timestamp: header.timestamp,
        nonce: header.nonce,
        difficulty: header.difficulty,
        size: header.transactionsCumulativeSize,
        median: header.sizeMedian,
        base: header.baseReward,
        reward: header.reward,
        fees: header.totalFeeAmount,
        coins: header.alreadyGeneratedCoins,
        generated: header.alreadyGeneratedTransactions,
      })),
    );
  });

  test.each([false, true])('/getrawblocks adds global indexes on request (skip coinbases: %s)', (skipCoinbase) => {
    const query = { checkpoints: Buffer.alloc(0), startHeight: 60, startTimestamp: 0, blockCount: 50, skipCoinbase };
    const itemsOf = (globalIndexes: boolean) =>
      json<{ items: Entry[] }>(runQuery(reader(), devnet, 'rawBlocks', { ...query, globalIndexes })).items;
    const plain = itemsOf(false);
    expect(plain).toHaveLength(50);
    expect(itemsOf(true)).toEqual(
      plain.map((item) => {
        const height = reader().heightOf(parseBlock(Buffer.from(String(item['block']), 'hex')).hash) ?? 0;
        return {
          ...item,
          globalIndexes: reader()
            .globalIndexes(height)
            .map(({ indexes }) => indexes),
        };
      }),
    );
  });

  test('/queryblocksdetailed returns the payment id of a nonce that is a plain payment id, and no other', () => {
    const raws = reader().rawBlocks(0, chainA().length);
    const idOf = (bytes: Buffer): Buffer | undefined => plainPaymentId(parseTransaction(bytes).transaction.extra);
    const height = raws.findIndex(({ transactions }) => transactions.some((bytes) => idOf(bytes) !== undefined));
    const { block, transactions } = raws[height]!;
    const idsIn = (served: readonly Buffer[]): unknown[] => {
      const changed = Object.create(reader(), { rawBlocks: { value: () => [{ block, transactions: served }] } });
      const query = { blockIds: reader().hashAt(height)!, timestamp: 0, blockCount: 1 };
      const response = runQuery(changed as ChainReader, devnet, 'queryBlocksDetailed', query);
      const { blocks } = json<{ blocks: { transactions: Entry[] }[] }>(response);
      return blocks[0]!.transactions.slice(1).map((one) => one['paymentId']);
    };
    const none = '00'.repeat(32);
    expect(idsIn(transactions)).toEqual(transactions.map((bytes) => idOf(bytes)?.toString('hex') ?? none));
    // The same nonces with another mark before the payment id, and one byte shorter.
    for (const [distance, value] of [
      [1, 1],
      [2, 32],
    ] as const) {
      const others = transactions.map((bytes) => {
        const other = Buffer.from(bytes);
        const id = idOf(bytes);
        if (id !== undefined) other[other.indexOf(id) - distance] = value;
        return other;
      });
      expect(idsIn(others)).toEqual(transactions.map(() => none));
    }
  });

  test('/queryblockslite returns the bytes of every block and all of its transactions', () => {
    const { all, results } = walk('blockShortInfo.blockId', (blockIds) => {
      const query = { blockIds: Buffer.concat(blockIds), timestamp: 0 };
      return json<{ items: Entry[] }>(runQuery(reader(), devnet, 'queryBlocksLite', query)).items;
    });
    // 100 full blocks per response; the first one is known already.
    expect(results).toBe(Math.ceil((chainA().length - 1) / 99));
    all.forEach((item, height) => {
      const { block, transactions } = chainA()[height]!;
      expect(Buffer.from(item['blockShortInfo.block'] as number[])).toEqual(block);
      const listed = item['blockShortInfo.txPrefixes'] as Record<string, unknown>[];
      expect(listed.map((one) => one['transactionPrefixInfo.txHash'])).toEqual(
        transactions.map((bytes) => parseTransaction(bytes).hash.toString('hex')),
      );
    });
  });

  test('the last output of every ring is found where it was created', () => {
    const made = new Map<string, { hash: string; number: number }>();
    const counts = new Map<bigint, number>();
    chainA().forEach(({ block, transactions }) => {
      for (const { transaction, hash } of [parseBlock(block).coinbase, ...transactions.map(parseTransaction)]) {
        transaction.outputs.forEach(({ amount }, number) => {
          const index = counts.get(amount) ?? 0;
          counts.set(amount, index + 1);
          made.set(`${amount} ${index}`, { hash: hash.toString('hex'), number });
        });
      }
    });
    interface Input {
      readonly type: string;
      readonly data: {
        readonly input: { readonly amount: number; readonly key_offsets: number[] };
        readonly mixin: number;
        readonly output: { readonly transactionHash: string; readonly number: number };
      };
    }
    const query = { blockIds: reader().hashAt(500)!, timestamp: 0, blockCount: 60 };
    const result = json<{ blocks: { transactions: { inputs: Input[] }[] }[] }>(
      runQuery(reader(), devnet, 'queryBlocksDetailed', query),
    );
    const inputs = result.blocks.flatMap(({ transactions }) => transactions.flatMap((one) => one.inputs));
    const keys = inputs.filter(({ type }) => type === '02').map(({ data }) => data);
    expect(keys.length).toBeGreaterThan(50);
    for (const { input, mixin, output } of keys) {
      expect(mixin).toBe(input.key_offsets.length);
      const index = input.key_offsets.reduce((sum, offset) => sum + offset, 0);
      const source = made.get(`${input.amount} ${index}`);
      expect([output.transactionHash, output.number]).toEqual([source?.hash, source?.number]);
    }
  });

  test('sends no response to a disconnected client', () => {
    const left = new Error('left');
    for (const name of ['queryBlocksLite', 'queryBlocksDetailed'] as const) {
      let steps = 0;
      const leave = (): void => {
        if (++steps > 3) throw left;
      };
      const query = { blockIds: Buffer.alloc(0), timestamp: 0, blockCount: 100 };
      expect(() => runQuery(reader(), devnet, name, query, leave)).toThrow(left);
    }
  });
});

/** A chain of empty blocks with these times. */
function timesOf(times: readonly number[]): ChainReader {
  let latest = 0;
  const stamps = times.map((timestamp, height): BlockStamp => {
    latest = Math.max(latest, timestamp);
    return { height, hash: hashOf(height), timestamp, timestampLag: latest - timestamp, generatedTransactions: height };
  });
  const reader: Partial<ChainReader> = {
    snapshot: <T>(read: () => T): T => read(),
    height: () => times.length - 1,
    heightOf: (hash) => stamps.find((stamp) => stamp.hash.equals(hash))?.height,
    blockStamps: (start, end) => stamps.slice(start, end),
    hashes: (start, end) => stamps.slice(start, end).map(({ hash }) => hash),
    firstHeightFrom: (timestamp) => stamps.find((stamp) => stamp.timestamp >= timestamp)?.height,
    rawBlocks: () => [],
    factsRange: () => [],
  };
  return reader as ChainReader;
}

function hashOf(height: number): Buffer {
  const hash = Buffer.alloc(32);
  hash.writeUInt32BE(height + 1);
  return hash;
}

function rangeOf(reader: ChainReader, timestamp: number, blockIds: Buffer[] = []): Place {
  return blockRange(
    { reader, network: devnet, throwIfCancelled: () => undefined },
    { blockIds: Buffer.concat(blockIds), timestamp },
  );
}

describe('the start of a response', () => {
  test('is the first block of the day, or of the nearest earlier day with a block', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(20 * DAY), { minLength: 1, maxLength: 30 }),
        fc.oneof(fc.nat(25 * DAY), fc.constant(Number.MAX_SAFE_INTEGER)),
        (steps, timestamp) => {
          // In order of time: no block of a day follows one of a later day.
          const times = [...steps].sort((a, b) => a - b);
          const dayOf = (time: number): number => Math.floor(time / DAY);
          const days = times.map(dayOf).filter((day) => day <= dayOf(timestamp));
          const expected = days.length === 0 ? 0 : times.findIndex((time) => dayOf(time) === days.at(-1));
          expect(rangeOf(timesOf(times), timestamp).fullOffset).toBe(expected);
        },
      ),
    );
  });

  test('is found on the chain without a loop for timestamps out of order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5 * DAY), { minLength: 1, maxLength: 20 }), fc.nat(6 * DAY), (times, timestamp) => {
        const { fullOffset, startHeight } = rangeOf(timesOf(times), timestamp);
        expect(startHeight).toBe(0);
        expect(fullOffset).toBeGreaterThanOrEqual(0);
        expect(fullOffset).toBeLessThan(times.length);
      }),
    );
  });

  test('is the first known id, and a time of 0 means its own time', () => {
    const reader = timesOf([0, 10 * DAY, 10 * DAY + 60, 11 * DAY, 12 * DAY]);
    const unknown = Buffer.alloc(32, 0xab);
    expect(rangeOf(reader, 0, [unknown, hashOf(2), hashOf(4)])).toEqual({
      startHeight: 2,
      fullOffset: 2,
      currentHeight: 4,
    });
    expect(rangeOf(reader, 12 * DAY, [hashOf(2)])).toMatchObject({ startHeight: 2, fullOffset: 4 });
    expect(rangeOf(reader, 0)).toMatchObject({ startHeight: 0, fullOffset: 0 });
    expect(() => rangeOf(reader, 0, [unknown])).toThrow('failed to queryblockslite');
  });
});

describe('the size of one response', () => {
  const far = timesOf([...Array.from({ length: 12_000 }, (_, i) => i), 5 * DAY]);

  test('is at most 10,000 ids, and has no whole block before they reach it', () => {
    const lite = json<Place & { items: object[] }>(
      runQuery(far, devnet, 'queryBlocksLite', { blockIds: Buffer.alloc(0), timestamp: 5 * DAY }),
    );
    expect([lite.fullOffset, lite.items.length]).toEqual([12_000, 10_000]);
    expect(lite.items.at(-1)).toEqual({
      'blockShortInfo.block': [],
      'blockShortInfo.blockId': hashOf(9_999).toString('hex'),
      'blockShortInfo.txPrefixes': [],
    });
    const query = { blockIds: Buffer.alloc(0), timestamp: 5 * DAY, blockCount: 7 };
    expect(json<{ blocks: object[] }>(runQuery(far, devnet, 'queryBlocksDetailed', query)).blocks).toHaveLength(7);
  });

  test('is 8 MiB of whole blocks, at least one', () => {
    const { block, transactions } = chainA().find((raw) => raw.transactions.length > 0)!;
    const prefix = parseTransaction(transactions[0]!).prefixBytes.length;
    const itemCount = (copies: number): number => {
      const hashes = Array.from({ length: copies }, () => transactions[0]!);
      // Enough transactions that one block is a large part of a response.
      const listed = rawWith(block, hashes);
      const reader = {
        ...timesOf(Array.from({ length: 50 }, (_, i) => i)),
        rawBlocks: (start: number, end: number) => Array.from({ length: end - start }, () => listed),
      } as unknown as ChainReader;
      const response = runQuery(reader, devnet, 'queryBlocksLite', { blockIds: Buffer.alloc(0), timestamp: 0 });
      if (copies < 4_000) expect(response.length).toBeLessThan(8 * MIB + 1024);
      return json<{ items: object[] }>(response).items.length;
    };
    expect(prefix).toBeGreaterThan(100);
    expect(itemCount(1)).toBe(50);
    const some = itemCount(500);
    expect(some).toBeGreaterThan(1);
    expect(some).toBeLessThan(50);
    expect(itemCount(20_000)).toBe(1);
  });
});

/** A block that lists this many transactions with random ids. */
function rawWith(block: Buffer, transactions: readonly Buffer[]): { block: Buffer; transactions: readonly Buffer[] } {
  const own = parseBlock(block).block.transactionHashes.length;
  const head = block.subarray(0, block.length - 32 * own - 1);
  const count: number[] = [];
  for (let left = transactions.length; ; left >>= 7) {
    if (left < 0x80) {
      count.push(left);
      break;
    }
    count.push((left & 0x7f) | 0x80);
  }
  return {
    block: Buffer.concat([head, Buffer.from(count), Buffer.alloc(32 * transactions.length, 1)]),
    transactions,
  };
}

describe('changes of the pool', () => {
  const [bytes] = chainA().flatMap(({ transactions }) => transactions) as [Buffer];
  const { prefixBytes } = parseTransaction(bytes);
  const pooled = Array.from({ length: 12_000 }, (_, i) => {
    const hash = hashOf(i);
    return { id: hash.toString('hex'), hash, parse: () => ({ prefixBytes }) } as unknown as PoolTransaction;
  });
  const ids = new Set(pooled.map(({ id }) => id));
  const never = new AbortController().signal;

  test('are limited to 2 MiB of prefixes; the next request gets the rest', async () => {
    const known = new Set<string>();
    let results = 0;
    for (;;) {
      const changes = await changesSince(pooled, new Set(known), never);
      if (changes.lengths.length === 0) break;
      expect(changes.gone).toHaveLength(0);
      expect(changes.prefixes.length).toBeLessThanOrEqual(2 * MIB);
      const response = runQuery({} as ChainReader, devnet, 'poolChanges', { ...changes, isTailActual: true });
      expect(response.length).toBeLessThanOrEqual(8 * MIB);
      const { addedTxs } = json<{ addedTxs: { 'transactionPrefixInfo.txHash': string }[] }>(response);
      for (const one of addedTxs) known.add(one['transactionPrefixInfo.txHash']);
      results++;
    }
    expect(known).toEqual(ids);
    expect(results).toBeGreaterThan(2);
  });

  test('include known transactions that are not in the pool', async () => {
    const other = hashOf(50_000);
    const known = new Set([pooled[0]!.id, other.toString('hex')]);
    expect(await changesSince(pooled.slice(0, 1), known, never)).toEqual({
      hashes: Buffer.alloc(0),
      prefixes: Buffer.alloc(0),
      lengths: [],
      gone: other,
    });
  });
});
