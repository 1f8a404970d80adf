import { join } from 'node:path';
import { type ChainDb, type ChainReader, openChainDb, plainPaymentId } from '@wrkz/chain-db';
import { networkOf, parseBlock, parseTransaction } from '@wrkz/core-types';
import { createMemoryLogger, JsonRpcError } from '@wrkz/service-kit';
import { chainA, chainAHeaders } from '@wrkz/testing';
import type { PoolTransaction } from '../../src/mempool/pool-transaction';
import { ReaderPool, type RpcContext, runQuery, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';
import { newSuite } from '../network/daemons';
import { node } from './support/provocations';

/* The explorer's methods, in cases without recorded responses (docs/protocol/rpc.md#explorer-methods). */

const devnet = networkOf('devnet');
const suite = newSuite();
let directory: string;
let db: ChainDb;

beforeAll(async () => {
  directory = join(await suite.chainA(), 'devnet');
  db = openChainDb({ directory, network: 'devnet', readonly: true });
});
afterAll(async () => {
  db.close();
  await suite.stopAll();
});

const json = (response: Buffer): Record<string, unknown> =>
  JSON.parse(response.toString('latin1')) as Record<string, unknown>;

test('f_block_json returns every block as the reference does', () => {
  let penalized = 0;
  for (const header of chainAHeaders()) {
    const { block } = json(runQuery(db.reader, devnet, 'explorerBlock', { height: header.height }));
    const { transactions, penalty, ...reported } = block as Record<string, unknown> & {
      readonly transactions: readonly { hash: string; fee: number }[];
      readonly penalty: number;
    };
    expect(reported).toMatchObject({
      hash: header.hash,
      prev_hash: header.prev_hash,
      reward: header.reward,
      baseReward: header.baseReward,
      sizeMedian: header.sizeMedian,
      totalFeeAmount: header.totalFeeAmount,
      transactionsCumulativeSize: header.transactionsCumulativeSize,
      alreadyGeneratedCoins: String(header.alreadyGeneratedCoins),
      depth: 720 - header.height,
    });
    expect(transactions[0]).toMatchObject({ hash: header.coinbase_tx_hash, fee: 0 });
    expect(
      transactions
        .slice(1)
        .map(({ hash }) => hash)
        .sort(),
    ).toEqual([...header.tx_hashes].sort());
    if (penalty === 0) continue;
    penalized++;
    expect(penalty).toBeGreaterThan(0);
    expect(penalty).toBeLessThan(1);
  }
  // Block 706 is large enough for the penalty.
  expect(penalized).toBe(1);
});

test('a zero penalty is printed as a number with a fraction', () => {
  expect(runQuery(db.reader, devnet, 'explorerBlock', { height: 5 }).toString()).toContain('"penalty":0.0,');
});

test('f_blocks_list_json lists blocks downwards to genesis and no further', () => {
  const heights = (height: number): unknown[] =>
    (json(runQuery(db.reader, devnet, 'blocksList', { height }))['blocks'] as { height: number }[]).map(
      (row) => row.height,
    );
  expect(heights(0)).toEqual([0]);
  expect(heights(30)).toHaveLength(31);
  expect(heights(720)).toEqual(Array.from({ length: 31 }, (_, i) => 720 - i));
});

describe('f_transaction_json', () => {
  const blocks = (): [number, Buffer[]][] =>
    chainA().map(({ transactions }, height) => [height, transactions.map((bytes) => parseTransaction(bytes).hash)]);

  test('returns every transaction with its block', () => {
    const headers = chainAHeaders();
    for (const [height, hashes] of blocks()) {
      for (const hash of hashes) {
        const { block, status, txDetails } = json(runQuery(db.reader, devnet, 'explorerTransaction', { hash }));
        const header = headers[height]!;
        expect([status, block]).toEqual([
          'OK',
          {
            ...{ hash: header.hash, height, timestamp: header.timestamp, difficulty: header.difficulty },
            ...{ cumul_size: header.block_size, tx_count: hashes.length + 1 },
          },
        ]);
        expect(txDetails).toMatchObject({ hash: hash.toString('hex') });
      }
    }
  });

  test('reports a damaged database if the block of a transaction is missing', () => {
    const [height, [hash]] = blocks().find(([, hashes]) => hashes.length > 0) as [number, Buffer[]];
    for (const read of ['facts', 'rawBlock']) {
      const reader = Object.create(db.reader, { [read]: { value: () => undefined } }) as ChainReader;
      const query = { hash: hash! };
      expect(() => runQuery(reader, devnet, 'explorerTransaction', query)).toThrow(`block ${height} is missing`);
    }
  });
});

/** Transaction hashes of chain A by their plain payment id. */
const carriers = (): Map<string, string[]> => {
  const found = new Map<string, string[]>();
  for (const { block, transactions } of chainA()) {
    for (const { transaction, hash } of [parseBlock(block).coinbase, ...transactions.map(parseTransaction)]) {
      const id = plainPaymentId(transaction.extra)?.toString('hex');
      if (id !== undefined) found.set(id, [...(found.get(id) ?? []), hash.toString('hex')]);
    }
  }
  return found;
};

test('transactions with a payment id are listed in chain order, complete or limited, followed by those of the pool', () => {
  const pooled = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  for (const [id, hashes] of carriers()) {
    const paymentId = Buffer.from(id, 'hex');
    const mined = Buffer.from(hashes[0] as string, 'hex');
    // A pool transaction was mined before the chain was read: it counts once.
    const query = { paymentId, limit: 1_000, pooled: [mined, ...pooled] };
    const all = [...hashes, ...pooled.map((hash) => hash.toString('hex'))];
    const response = { status: 'OK', totalCount: all.length, transactionHashes: all, truncated: false };
    expect(json(runQuery(db.reader, devnet, 'paymentIdTransactions', query))).toEqual(response);
    for (const limit of [1, hashes.length, all.length - 1]) {
      expect(json(runQuery(db.reader, devnet, 'paymentIdTransactions', { ...query, limit }))).toEqual({
        ...response,
        transactionHashes: all.slice(0, limit),
        truncated: true,
      });
    }
  }
});

describe('through reader threads', () => {
  let readers: ReaderPool;
  beforeAll(() => (readers = new ReaderPool({ directory, network: 'devnet' })));
  afterAll(() => readers.close());

  async function request(body: object, changes: Partial<RpcContext> = {}): Promise<[number, unknown]> {
    const context = node({ queries: readers, explorer: true, ...changes });
    const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0 };
    const server = await startRpcServer(context, options, createMemoryLogger());
    try {
      const response = await fetch(`http://127.0.0.1:${server.port}/json_rpc`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return [response.status, await response.json()];
    } finally {
      await server.close();
    }
  }

  test('a serialized result is in the envelope with the id of the request', async () => {
    for (const id of [7, 'a"b', null, true, 'x'.repeat(256)]) {
      const [status, outcome] = await request({ method: 'f_blocks_list_json', params: { height: 1 }, id });
      expect([status, outcome]).toEqual([
        200,
        { jsonrpc: '2.0', id, result: expect.objectContaining({ status: 'OK' }) as unknown },
      ]);
    }
    for (const id of [{ of: [1] }, [], 'x'.repeat(257)]) {
      const [status] = await request({ method: 'f_blocks_list_json', params: { height: 1 }, id });
      expect([id, status]).toEqual([id, 400]);
    }
    const [, outcome] = await request({ method: 'f_blocks_list_json', params: { height: 1 } });
    expect(Object.keys(outcome as object).sort()).toEqual(['jsonrpc', 'result']);
  });

  test('an error object is returned with its code', async () => {
    const error = { code: -2, message: expect.stringContaining('Current height: 720') as unknown };
    expect(await request({ method: 'f_blocks_list_json', params: { height: 721 }, id: 1 })).toEqual([
      200,
      { jsonrpc: '2.0', id: 1, error },
    ]);
    const caller = { client: '127.0.0.1', gone: new AbortController().signal };
    await expect(readers.run('blocksList', { height: 721 }, caller)).rejects.toBeInstanceOf(JsonRpcError);
  });

  test('pool transactions are listed, and found by their payment id', async () => {
    const mined = chainA().flatMap(({ transactions }) => transactions.map(parseTransaction));
    const carriersOf = carriers();
    const parsed = mined.find(({ transaction }) => plainPaymentId(transaction.extra) !== undefined);
    if (parsed === undefined) throw new Error('no transaction of chain A has a payment id');
    const id = plainPaymentId(parsed.transaction.extra)?.toString('hex') ?? '';
    const hashes = carriersOf.get(id) ?? [];
    const hash = Buffer.alloc(32, 9);
    const entry = {
      id: hash.toString('hex'),
      fee: 2n ** 60n,
      amount: 3n,
      size: 4,
      hash,
      paymentId: id,
    };
    const pool = { list: () => [entry as unknown as PoolTransaction] } as unknown as RpcContext['pool'];
    const [, listed] = await request({ method: 'f_on_transactions_pool_json' }, { pool });
    expect(listed).toMatchObject({
      result: { transactions: [{ hash: entry.id, fee: 2 ** 60, amount_out: 3, size: 4 }] },
    });
    const [, found] = await request(
      { method: 'f_transactions_by_payment_id_json', params: { paymentId: id.toUpperCase() } },
      { pool },
    );
    expect(found).toMatchObject({
      result: { totalCount: hashes.length + 1, transactionHashes: [...hashes, entry.id] },
    });
  });
});
