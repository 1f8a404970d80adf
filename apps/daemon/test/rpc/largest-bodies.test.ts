import { join } from 'node:path';
import { type ChainDb, type ChainReader, openChainDb } from '@wrkz/chain-db';
import { networkOf, type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import { bindRoutes, FinishedJson, silentLogger } from '@wrkz/service-kit';
import { chainA, chainAHeaders } from '@wrkz/testing';
import { PoolTransaction } from '../../src/mempool/pool-transaction';
import { type QueryRunner, type RpcContext, runQuery, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';
import type { DaemonRoute } from '../../src/rpc/declare';
import { allMethods, allRoutes, routeRules } from '../../src/rpc/service';
import { newSuite } from '../network/daemons';
import { node, routeKey } from './support/provocations';
import { send } from './support/recorded';

/*
 * Each route and method with its largest legal body. The tests count the rows that the main thread handles in one
 * iteration of the event loop, and the rows that a reader thread handles between two checks of the connection.
 */

/** Rows of about 1 ms: also the number of array entries that service-kit parses at once. */
const MAX_ROWS = 4_096;
/** Objects in the message to a reader thread; bytes are copied at once, objects one by one. */
const MAX_MESSAGE_VALUES = 16;
const POOL_SIZE = 10_000;

/** Sums counts between two resets and records the largest sum. */
class Counter {
  max = 0;
  private sum = 0;

  add(count: number): void {
    this.sum += count;
    this.max = Math.max(this.max, this.sum);
  }

  reset(): void {
    this.sum = 0;
  }
}

/** A proxy that counts each method call and the rows of its result. */
function counting<T extends object>(target: T, counter: Counter): T {
  return new Proxy(target, {
    get: (_target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        // The function of a snapshot makes further calls.
        if (name !== 'snapshot') counter.add(1 + (Array.isArray(result) ? result.length : 0));
        return result;
      };
    },
  });
}

/** An array that counts the reads of its entries. */
function countingArray<T>(target: readonly T[], counter: Counter): readonly T[] {
  return new Proxy(target, {
    get: (_target, name) => {
      if (typeof name === 'string' && /^\d/.test(name)) counter.add(1);
      return Reflect.get(target, name) as unknown;
    },
  });
}

/** Numbers count as bytes: their copy costs little. */
function valuesIn(value: unknown): number {
  if (typeof value === 'number' || typeof value !== 'object' || value === null) return 0;
  if (value instanceof Uint8Array) return 1;
  return Object.values(value).reduce(
    (sum: number, inner) => sum + (typeof inner === 'string' ? 1 : valuesIn(inner)),
    1,
  );
}

const suite = newSuite();
const devnet = networkOf('devnet');
let db: ChainDb;
beforeAll(async () => {
  db = openChainDb({ directory: join(await suite.chainA(), 'devnet'), network: 'devnet', readonly: true });
});
afterAll(async () => {
  db.close();
  await suite.stopAll();
});

const bodyBytes = RPC_DEFAULTS.maxBodyBytes;
const hash = (i: number): string => i.toString(16).padStart(64, '0');
const headers = chainAHeaders();
const tip = headers.at(-1)?.hash ?? '';
/** The max number of unknown hashes in a body, with a known one at the end. */
const hashes = JSON.stringify([...Array.from({ length: Math.floor((bodyBytes - 500) / 67) }, (_, i) => hash(i)), tip]);
const [transaction] = chainA().flatMap(({ transactions }) => transactions);
const parsedTransaction = parseTransaction(transaction as Buffer);
const transactionId = parsedTransaction.hash.toString('hex');
const largeHex = '00'.repeat(bodyBytes / 2 - 100);
const address = 'WrkzpChjXgDRJzfo7Jk1v1btBG2tZm3n5XSn2rtcFvJDfkeaJsRnWGDMFZQxAozudz9mDQ8yvigK6XAjSrSnYn377MLxmBAwf6';

/** By route: its largest bodies; null for a route without a body. */
const ROUTE_BODIES: Readonly<Record<string, readonly (string | null)[]>> = {
  'GET /info': [null],
  'GET /getinfo': [null],
  'GET /height': [null],
  'GET /getheight': [null],
  'GET /peers': [null],
  'GET /fee': [null],
  'POST /sendrawtransaction': [`{"tx_as_hex":"${largeHex}"}`],
  // If all amounts had this many outputs, the response would exceed its max size.
  'POST /getrandom_outs': [
    `{"outs_count":100,"amounts":[${Array.from({ length: 1_000 }, () => '8000000').join()}]}`,
    `{"outs_count":10,"amounts":[${Array.from({ length: 10_000 }, () => '80000000').join()}]}`,
  ],
  'POST /getwalletsyncdata': [
    `{"blockHashCheckpoints":${hashes},"blockCount":1000}`,
    '{"startHeight":1,"blockCount":1000}',
    '{"startHeight":1,"blockCount":1000,"skipCoinbaseTransactions":true,"skipEmptyBlocks":true}',
  ],
  'POST /get_global_indexes_for_range': ['{"startHeight":0,"endHeight":4999}'],
  'POST /queryblockslite': [`{"blockIds":${hashes},"timestamp":0}`, '{"blockIds":[],"timestamp":0}'],
  'POST /queryblocksdetailed': [
    `{"blockIds":${hashes},"timestamp":0,"blockCount":10000}`,
    '{"blockIds":[],"timestamp":0,"blockCount":10000}',
  ],
  'POST /get_transactions_status': [`{"transactionHashes":${hashes}}`],
  'POST /get_pool_changes_lite': [
    `{"tailBlockId":"${tip}","knownTxsIds":${hashes}}`,
    `{"tailBlockId":"${tip}","knownTxsIds":[]}`,
  ],
  'POST /get_o_indexes': [`{"txid":"${transactionId}"}`],
  'POST /getrawblocks': [
    `{"blockHashCheckpoints":${hashes},"blockCount":1000}`,
    '{"startHeight":1,"blockCount":1000,"skipCoinbaseTransactions":true}',
  ],
  'GET /events': [null],
  'GET /openapi.json': [null],
  'GET /docs': [null],
  'GET /docs/start.js': [null],
  'GET /docs/swagger-ui.css': [null],
  'GET /docs/swagger-ui-bundle.js': [null],
};

const METHOD_PARAMS: Readonly<Record<string, string>> = {
  getblockcount: '{}',
  getlastblockheader: '{}',
  getblockheaderbyhash: `{"hash":"${tip}"}`,
  getblockheaderbyheight: '{"height":700}',
  getblocktemplate: `{"wallet_address":"${address}","reserve_size":255}`,
  submitblock: `["${largeHex}"]`,
  generateblocks: `{"wallet_address":"${address}","count":1000}`,
  getrulesdigest: '{"height":720}',
  f_blocks_list_json: '{"height":700}',
  f_block_json: `{"hash":"${tip}"}`,
  f_transaction_json: `{"hash":"${transactionId}"}`,
  f_on_transactions_pool_json: '{}',
  f_transactions_by_payment_id_json: `{"paymentId":"${hash(1)}"}`,
  'rpc.discover': '{}',
};

test('the table has all routes and methods', () => {
  const isJsonRpc = (key: string): boolean => key.endsWith(' /json_rpc');
  expect(Object.keys(ROUTE_BODIES).sort()).toEqual(
    [...allRoutes.map(routeKey)].filter((key) => !isJsonRpc(key)).sort(),
  );
  expect(Object.keys(METHOD_PARAMS).sort()).toEqual(allMethods.map(({ name }) => name).sort());
});

const pooled = Array.from({ length: POOL_SIZE }, (_, i): PoolTransaction => {
  const identified = Object.create(parsedTransaction, { hash: { value: Buffer.from(hash(i * 2), 'hex') } });
  return new PoolTransaction(identified as ParsedTransaction, 0, i);
});
const pooledIds = new Set(pooled.map(({ id }) => id));

/** The context of a full node whose reads and queries are counted. */
function countedContext(main: Counter, message: Counter, thread: Counter): RpcContext {
  const queries: QueryRunner = {
    run: async (name, query) => {
      message.reset();
      message.add(valuesIn(query));
      const reader = counting<ChainReader>(db.reader, thread);
      thread.reset();
      return runQuery(reader, devnet, name, query, () => thread.reset());
    },
  };
  const pool = {
    size: pooled.length,
    has: (id: Buffer) => {
      main.add(1);
      return pooledIds.has(id.toString('hex'));
    },
    list: () => countingArray(pooled, main),
    add: async () => ({ accepted: false, message: 'refused' }),
  };
  const template = { blob: Buffer.alloc(200), difficulty: 1n, height: 1, reservedOffset: 0 };
  return node({
    reader: counting(db.reader, main),
    queries,
    pool,
    explorer: true,
    miner: {
      template: async () => template,
      submit: async () => ({ code: 'ADDED_TO_MAIN', message: '' }),
    },
    generator: { generate: async () => ({ height: 1, hashes: [] }) },
    peers: {
      isSynchronized: () => true,
      networkHeight: () => 1,
      observedHeight: () => 1,
      connections: () => ({ incoming: 0, outgoing: 0 }),
      peerLists: () => ({ white: [], gray: [] }),
      peerListSizes: () => ({ white: 0, gray: 0 }),
      seedCount: () => 0,
      lastSeedBootstrap: () => 0,
      sync: () => ({ activePeers: 0, averageBatchSize: 0, demotedPeers: 0 }),
    },
    events: { latest: () => 0, page: () => ({ entries: [], latest: 0, keptAfter: 0 }) } as never,
    nextDifficulty: () => 1n,
    heavierBranch: () => undefined,
    storage: { prune: false, pruneDepth: 1 },
    startTime: 0,
  });
}

/** Counts the values of a response that the route returns as an object, because they are serialized at once. */
function countingResponse(route: DaemonRoute, main: Counter): DaemonRoute {
  return {
    ...route,
    handle: async (context, request) => {
      const response = await route.handle(context, request);
      if (!(response instanceof FinishedJson)) main.add(valuesIn(response));
      return response;
    },
  };
}

const cases = [
  ...Object.entries(ROUTE_BODIES).flatMap(([key, bodies]) => bodies.map((body) => [key, body] as const)),
  ...Object.entries(METHOD_PARAMS).map(
    ([name, params]) => ['POST /json_rpc', `{"method":"${name}","params":${params}}`] as const,
  ),
].filter(([key]) => key !== 'GET /events');

test.each(cases.map(([key, body]) => [`${key} ${(body ?? '').slice(0, 70)}`, key, body] as const))(
  '%s',
  async (_name, key, body) => {
    const [main, message, thread] = [new Counter(), new Counter(), new Counter()];
    // Each reading of the clock is 1 ms later, so that time slices do not depend on the speed of the machine.
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => ++now);
    const context = countedContext(main, message, thread);
    const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0 };
    const bind = (routes: readonly DaemonRoute[], own: RpcContext) =>
      bindRoutes(
        routes.map((route) => countingResponse(route, main)),
        own,
        routeRules,
      );
    const server = await startRpcServer(context, { ...options, bind }, silentLogger());
    let iteration = setImmediate(function next() {
      main.reset();
      iteration = setImmediate(next);
    });
    try {
      const [method = '', path = ''] = key.split(' ');
      const { status, text } = await send(`http://127.0.0.1:${server.port}`, { method, path, body });
      expect(status).toBe(200);
      if (path === '/json_rpc') expect(text).toMatch(/"result":/);
      expect(Buffer.byteLength(body ?? '')).toBeLessThanOrEqual(bodyBytes);
      expect(text.length).toBeLessThanOrEqual(8 * 1024 * 1024);
      expect(main.max).toBeLessThanOrEqual(MAX_ROWS);
      expect(message.max).toBeLessThanOrEqual(MAX_MESSAGE_VALUES);
      expect(thread.max).toBeLessThanOrEqual(MAX_ROWS);
    } finally {
      clearImmediate(iteration);
      clock.mockRestore();
      await server.close();
    }
  },
);
