import type { BlockStamp, ChainReader } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { createMemoryLogger } from '@wrkz/service-kit';
import { isHeavy, type QueryTable } from '../../src/rpc/queries';
import { type QueryRunner, type RpcContext, runQuery, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';

/*
 * Limits of requests and responses (docs/protocol/lessons.md#unbounded-random-outputs,
 * docs/protocol/lessons.md#memory-by-http).
 */

const mainnet = networkOf('mainnet');
const MIB = 1024 * 1024;
const TOP = 50_000;

const range = { checkpoints: Buffer.alloc(0), startHeight: 1, startTimestamp: 0, blockCount: 1000, skipCoinbase: true };
const sync = { ...range, skipKeyOffsets: false, skipEmpty: true, endHeight: 0, encoding: 'hex' } as const;

function json<T = object>(response: Buffer): T {
  return JSON.parse(response.toString('latin1')) as T;
}

/** A chain of equal blocks. `walked` records the heights that are read. */
function chainOf(block: Buffer, transactions: readonly Buffer[]): { reader: ChainReader; walked: number[] } {
  const walked: number[] = [];
  const reader: Partial<ChainReader> = {
    cached: <T>(_key: string, read: () => T): T => read(),
    snapshot: <T>(read: () => T): T => read(),
    floors: () => ({ bodies: 0, records: 0, lite: undefined }),
    tip: () => ({ height: TOP, hash: Buffer.alloc(32), timestamp: 0 }) as ReturnType<ChainReader['tip']>,
    heightOf: () => undefined,
    blockStamps: (start, end) =>
      Array.from({ length: end - start }, (_, i) => {
        walked.push(start + i);
        return { height: start + i, generatedTransactions: (start + i + 1) * (1 + transactions.length) } as BlockStamp;
      }),
    rawBlocks: (start, end) => Array.from({ length: end - start }, () => ({ block, transactions })),
  };
  return { reader: reader as ChainReader, walked };
}

test.each(['rawBlocks', 'walletSyncData'] as const)('%s walks over 10,000 blocks at most', (name) => {
  const { reader, walked } = chainOf(Buffer.alloc(10), []);
  const result = json(runQuery(reader, mainnet, name, name === 'rawBlocks' ? range : sync));
  expect(result).toMatchObject({ items: [], synced: true });
  // The block below the start has the number of transactions before it.
  expect([walked.length, walked[0], walked.at(-1)]).toEqual([10_001, 0, 10_000]);
});

test('a response ends at 8 MiB, and one block is always sent', () => {
  const request = (size: number): unknown[] => {
    const { reader } = chainOf(Buffer.alloc(size - 5), [Buffer.alloc(5)]);
    return json<{ items: unknown[] }>(runQuery(reader, mainnet, 'rawBlocks', range)).items;
  };
  // Two hex digits per byte, and the field names.
  expect(request(2 * MIB - 100)).toHaveLength(2);
  expect(request(2 * MIB)).toHaveLength(1);
  expect(request(9 * MIB)).toHaveLength(1);
});

describe('hashes of unknown blocks', () => {
  const unknown = (count: number): Buffer[] => Array.from({ length: count }, () => Buffer.alloc(32));
  const requesting = (count: number): QueryTable['rawBlocks'] => ({
    ...range,
    checkpoints: Buffer.concat(unknown(count)),
    blockCount: 1,
  });

  test('make a request count as long if a wallet never sends this many', () => {
    const isLong = (count: number): boolean[] => [
      isHeavy('rawBlocks', requesting(count)),
      isHeavy('walletSyncData', { ...sync, ...requesting(count) }),
    ];
    expect([isLong(2_000), isLong(2_001)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test('are not looked up for a disconnected client', () => {
    let lookedUp = 0;
    const reader = {
      ...chainOf(Buffer.alloc(10), []).reader,
      heightOf: () => void lookedUp++,
    } as unknown as ChainReader;
    const left = new Error('left');
    const leave = (): void => {
      if (lookedUp > 0) throw left;
    };
    expect(() => runQuery(reader, mainnet, 'rawBlocks', requesting(30_000), leave)).toThrow(left);
    expect(lookedUp).toBeLessThan(1_000);
  });
});

test('looks up nothing for amounts of which no output is requested', () => {
  let lookedUp = 0;
  const reader = {
    ...chainOf(Buffer.alloc(10), []).reader,
    randomOutputs: () => {
      lookedUp++;
      return [];
    },
  } as Partial<ChainReader> as ChainReader;
  const response = runQuery(reader, mainnet, 'randomOuts', { amounts: [5n, 6n], count: 0, now: 0 });
  expect(json(response)).toEqual({
    outs: [
      { amount: 5, outs: [] },
      { amount: 6, outs: [] },
    ],
    status: 'OK',
  });
  expect(lookedUp).toBe(0);
});

describe('over HTTP', () => {
  const requested: number[] = [];
  const queries: QueryRunner = {
    run: async (_name, query) => {
      requested.push('amounts' in query && Array.isArray(query.amounts) ? query.amounts.length : 0);
      return Buffer.from('{}');
    },
  };
  const context = { queries, now: () => 0, explorer: true } as Partial<RpcContext> as RpcContext;

  async function withServer<T>(use: (url: string) => Promise<T>): Promise<T> {
    const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0 };
    const server = await startRpcServer(context, options, createMemoryLogger());
    try {
      return await use(`http://127.0.0.1:${server.port}`);
    } finally {
      await server.close();
    }
  }

  const decoys = (amounts: number, count: number): string =>
    `{"outs_count":${count},"amounts":[${Array.from({ length: amounts }, () => '1').join()}]}`;

  test.each([
    [decoys(1, 101), 'outs_count exceeds the maximum of 100'],
    [decoys(10_001, 1), 'amounts has more than the maximum of 10000 entries'],
    [decoys(1_001, 100), 'amounts x outs_count exceeds the maximum of 100000 outputs per request'],
  ])('/getrandom_outs refuses %.40s...', async (body, error) => {
    await withServer(async (url) => {
      const response = await fetch(`${url}/getrandom_outs`, { method: 'POST', body });
      expect([response.status, await response.json()]).toEqual([400, { status: 'Failed', error }]);
    });
    expect(requested).toEqual([]);
  });

  test('/getrandom_outs accepts exactly the maximum', async () => {
    await withServer(async (url) => {
      for (const body of [decoys(10_000, 10), decoys(1_000, 100)]) {
        expect((await fetch(`${url}/getrandom_outs`, { method: 'POST', body })).status).toBe(200);
      }
    });
    expect(requested.splice(0)).toEqual([10_000, 1_000]);
  });

  test.each([
    ['nested too deeply', '['.repeat(65) + ']'.repeat(65)],
    ['of too many values', `[${'[],'.repeat(50_000)}[]]`],
  ])('a body %s is invalid JSON, and the error quotes little of it', async (_name, body) => {
    await withServer(async (url) => {
      const response = await fetch(`${url}/getrandom_outs`, { method: 'POST', body });
      const { error } = (await response.json()) as { error: string };
      expect(response.status).toBe(400);
      expect(error).toMatch(/^Warning: received body is not JSON encoded!.*Failed to parse request body as JSON$/s);
      expect(error.length).toBeLessThan(500);
    });
  });
});

test.each([
  ['too large: refused before an output is read', 1_000, 400],
  ['small enough: as many outputs as there are', 10, 200],
])('/getrandom_outs %s', (_case, available, status) => {
  const { reader } = chainOf(Buffer.alloc(10), []);
  let read = 0;
  const outputs: Partial<ChainReader> = {
    outputCount: () => available,
    randomOutputs: (_amount, count) => {
      read += 1;
      return Array.from({ length: Math.min(count, available) }, (_, index) => ({ index, key: Buffer.alloc(32) }));
    },
  };
  const query = { amounts: Array.from({ length: 1_000 }, (_, i) => BigInt(i)), count: 100, now: 0 };
  const run = (): unknown => runQuery({ ...reader, ...outputs } as ChainReader, mainnet, 'randomOuts', query);
  if (status === 200) run();
  else expect(run).toThrow('exceed the maximum of 8388608 bytes');
  expect(read).toBe(status === 200 ? 1_000 : 0);
});
