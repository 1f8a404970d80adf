import { daemonApi } from '@wrkz/api';
import { BelowFloor, type ChainReader } from '@wrkz/chain-db';
import type { BlockFacts } from '@wrkz/consensus';
import { networkOf } from '@wrkz/core-types';
import type { ErrorRow } from '@wrkz/service-kit';
import { runQuery, type RpcContext, type RpcServerOptions } from '../../../src/rpc';
import { EntriesGone } from '../../../src/events/journal/entry';
import type { JournalPage } from '../../../src/events/journal/reader';
import { EventSource, MAX_WAITING_PER_ADDRESS } from '../../../src/events/routes/event-source';
import { refuseRetryable } from '../../../src/rpc/errors';
import type { DaemonMethod, DaemonRoute } from '../../../src/rpc/declare';

/* The provocation of each declared error: a request, and the required state of the node. */

export interface Provocation {
  /** The query string, including `?`. */
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly context?: RpcContext;
  readonly options?: Partial<RpcServerOptions>;
  /** Number of times that the request is sent; the last response must be the error. */
  readonly times?: number;
}

type RefusalName = keyof typeof daemonApi.refusals;
type RpcErrorName = keyof typeof daemonApi.rpcErrors;
type Provocations = Partial<Record<RefusalName | RpcErrorName, Provocation>>;

const NAMES = new Map<unknown, RefusalName | RpcErrorName>(
  [...Object.entries(daemonApi.refusals), ...Object.entries(daemonApi.rpcErrors)].map(([name, row]) => [
    row,
    name as RefusalName | RpcErrorName,
  ]),
);

/** The name of an error in the daemon's two tables. */
export function nameOf(row: ErrorRow): RefusalName | RpcErrorName {
  const name = NAMES.get(row);
  if (name === undefined) throw new Error(`"${row.text}" is in neither table of errors`);
  return name;
}

/** A devnet node with only a tip; `changes` replace the parts that a provocation needs. */
export function node(changes: Partial<RpcContext> = {}, chain: Partial<ChainReader> = {}): RpcContext {
  const reader = {
    cached: <T>(_key: string, read: () => T): T => read(),
    snapshot: <T>(read: () => T): T => read(),
    tip: () => ({ height: 100, hash: Buffer.alloc(32), timestamp: 0 }) as ReturnType<ChainReader['tip']>,
    heightOf: () => undefined,
    facts: () => undefined,
    alternative: () => undefined,
    outputIndexes: () => undefined,
    floors: () => ({ bodies: 0, records: 0, lite: undefined }),
    randomOutputs: () => [],
    ...chain,
  } as Partial<ChainReader> as ChainReader;
  const network = networkOf('devnet');
  return {
    network,
    reader,
    explorer: false,
    peers: { isSynchronized: () => true },
    queries: { run: async (name, query) => runQuery(reader, network, name, query) },
    limits: { maxBlockCount: 1000, maxGlobalIndexRange: 5000 },
    now: () => 0,
    ...changes,
  } as Partial<RpcContext> as RpcContext;
}

function fail(): never {
  throw new Error('a defect');
}

/** A node whose every part fails. */
const broken = new Proxy({} as RpcContext, { get: fail });

const LARGE = 'x'.repeat(2000);

/** Provocations that work for every route and method. */
const everywhere: Provocations = {
  unauthorized: { options: { accessToken: 'k' } },
  tooManyRequests: {
    options: { maxRpm: 1, trustProxy: true },
    headers: { 'x-forwarded-for': '192.0.2.1' },
    times: 2,
  },
  foreignHost: { headers: { host: 'evil.example' } },
  foreignOrigin: { headers: { origin: 'http://evil.example' } },
  bodyTooLarge: { options: { maxBodyBytes: 1024 }, body: LARGE },
  unsupportedEncoding: { headers: { 'content-encoding': 'gzip' }, body: '{}' },
  notJson: { body: '{"' },
  missing: { body: '{}' },
  internal: { body: '{}', context: broken },
};

const ADDRESS = 'WrkzpChjXgDRJzfo7Jk1v1btBG2tZm3n5XSn2rtcFvJDfkeaJsRnWGDMFZQxAozudz9mDQ8yvigK6XAjSrSnYn377MLxmBAwf6';
const HASH = 'ab'.repeat(32);
const many = (count: number): string => Array.from({ length: count }, () => '1').join();

const full: RpcContext = node({
  queries: { run: () => Promise.reject(refuseRetryable(daemonApi.refusals.overloaded)) },
});

const explorer: RpcContext = node({ explorer: true });
const emptyPool = { list: () => [] } as Partial<RpcContext['pool']> as RpcContext['pool'];

/** Global indexes of transactions with many outputs, of which a few thousand entries exceed 8 MiB. */
const crowded = (start: number, end: number): { hash: Buffer; indexes: number[] }[] =>
  Array.from({ length: end - start }, () => ({
    hash: Buffer.alloc(32),
    indexes: Array.from({ length: 2000 }, () => 4_000_000_000),
  }));
const longChain: Partial<ChainReader> = {
  tip: () => ({ height: 5_000, hash: Buffer.alloc(32), timestamp: 0 }) as ReturnType<ChainReader['tip']>,
  globalIndexesRange: crowded,
  outputCount: () => 5_000_000_000,
  randomOutputs: (_amount, count) =>
    Array.from({ length: count }, () => ({ index: 4_000_000_000, key: Buffer.alloc(32) })),
};

/** A chain that is temporarily unreadable, with this error code of SQLite. */
export const locked = (code = 'SQLITE_BUSY'): RpcContext => {
  const refuseRead = (): never => {
    throw Object.assign(new Error('database is locked'), { code });
  };
  return node({}, { snapshot: refuseRead, tip: refuseRead });
};
const unreadable: Provocation = { context: locked() };

/** The events of a journal that ends with number 5. */
const eventSource = (page?: () => JournalPage | undefined, maxClients = 100): EventSource =>
  new EventSource(
    {
      latest: () => 5,
      page: page ?? (() => ({ journal: '', entries: [], next: 5, latest: 5, keptAfter: 0 })),
      onEntry: () => () => undefined,
    },
    { maxClients, stopping: new AbortController().signal },
  );
/** Events whose clients all have one address, which has its maximum number of waiting clients. */
const withBusyAddress = (): EventSource => {
  const source = eventSource();
  for (let i = 0; i < MAX_WAITING_PER_ADDRESS; i++) source.acquire('192.0.2.1');
  return Object.assign(source, { acquire: () => EventSource.prototype.acquire.call(source, '192.0.2.1') });
};
const gone = (): never => {
  throw new EntriesGone(1, 2, 5);
};

const belowFloor = (): never => {
  throw new BelowFloor(1, 50, 'lite');
};
const someFacts = (height: number) => ({ height, hash: Buffer.alloc(32) }) as ReturnType<ChainReader['tip']>;
/** A lite node from block 50 on. */
const lite: Provocation = {
  context: node(
    {},
    {
      height: () => 100,
      floors: () => ({ bodies: 50, records: 50, lite: 50 }),
      facts: someFacts,
      factsRange: (start) => [someFacts(start)],
      heightOf: () => 1,
      hashes: () => [],
      blockStamps: () => [],
      firstHeightFrom: () => undefined,
      rawBlock: belowFloor,
      rawBlocks: belowFloor,
      transaction: belowFloor,
      globalIndexesRange: belowFloor,
    },
  ),
};

const range: Provocations = {
  wrongType: { body: '{"startHeight":-1}' },
  invalidCheckpoint: { body: '{"blockHashCheckpoints":["xy"]}' },
  blockCountTooBig: { body: '{"blockCount":1001}' },
  overloaded: { body: '{}', context: full },
  busy: { body: '{}', ...unreadable },
};

const routes: Readonly<Record<string, Provocations>> = {
  'GET /info': { busy: unreadable },
  'GET /getinfo': { busy: unreadable },
  'GET /height': { busy: unreadable },
  'GET /getheight': { busy: unreadable },
  'GET /events': {
    wrongType: { query: '?after=1&after=2' },
    wrongQuery: { query: '?after=-1' },
    unknownTopic: { query: '?topics=block,coin' },
    eventsGone: { query: '?after=1', context: node({ events: eventSource(gone) }) },
    tooManyWaitHere: { query: '?wait=1', context: node({ events: withBusyAddress() }) },
    tooManyWait: { query: '?wait=1', context: node({ events: eventSource(undefined, 0) }) },
    noJournal: { context: node({ events: eventSource(() => undefined) }) },
  },
  'POST /sendrawtransaction': {
    wrongType: { body: '{"tx_as_hex":5}' },
    notSynced: {
      body: '{"tx_as_hex":""}',
      context: node({ peers: { isSynchronized: () => false } as RpcContext['peers'] }),
    },
  },
  'POST /getrandom_outs': {
    wrongType: { body: '{"outs_count":"1"}' },
    tooManyOuts: { body: '{"outs_count":101,"amounts":[]}' },
    tooManyAmounts: { body: `{"outs_count":1,"amounts":[${many(10_001)}]}` },
    tooManyOutsInAll: { body: `{"outs_count":100,"amounts":[${many(1_001)}]}` },
    noOutputs: { body: '{"outs_count":1,"amounts":[100]}' },
    responseTooLarge: { body: `{"outs_count":100,"amounts":[${many(1_000)}]}`, context: node({}, longChain) },
    overloaded: { body: '{"outs_count":1,"amounts":[100]}', context: full },
  },
  'POST /getrawblocks': range,
  'POST /getwalletsyncdata': { ...range, unknownEncoding: { body: '{"encoding":"base58"}' } },
  'POST /get_global_indexes_for_range': {
    wrongType: { body: '{"startHeight":1.0}' },
    invertedRange: { body: '{"startHeight":2,"endHeight":1}' },
    rangeTooLong: { body: '{"startHeight":0,"endHeight":5000}' },
    belowFloor: { body: '{"startHeight":1,"endHeight":2}', ...lite },
    responseTooLarge: { body: '{"startHeight":0,"endHeight":1000}', context: node({}, longChain) },
    overloaded: { body: '{"startHeight":0,"endHeight":1}', context: full },
  },
  'POST /queryblockslite': {
    wrongType: { body: '{"timestamp":-1}' },
    blockIdNotHex: { body: '{"blockIds":["xy"]}' },
    noKnownBlock: { body: `{"blockIds":["${HASH}"]}` },
    belowFloor: { body: '{}', ...lite },
    overloaded: { body: '{}', context: full },
  },
  'POST /queryblocksdetailed': {
    forbidden: { body: '{}' },
    wrongType: { body: '{"blockCount":-1}', context: explorer },
    blockIdNotHex: { body: '{"blockIds":["xy"]}', context: explorer },
    noKnownBlock: { body: `{"blockIds":["${HASH}"]}`, context: explorer },
    belowFloor: { body: '{}', context: { ...(lite.context as RpcContext), explorer: true } },
    overloaded: { body: '{}', context: node({ explorer: true, queries: full.queries }) },
  },
  'POST /get_pool_changes_lite': {
    wrongType: { body: `{"tailBlockId":"${HASH}","knownTxsIds":5}` },
    tailBlockNotHex: { body: '{"tailBlockId":"xy"}' },
    transactionHashNotHex: { body: `{"tailBlockId":"${HASH}","knownTxsIds":["xy"]}` },
    overloaded: {
      body: `{"tailBlockId":"${HASH}","knownTxsIds":[]}`,
      context: node({ pool: emptyPool, queries: full.queries }),
    },
  },
  'POST /get_o_indexes': {
    wrongType: { body: '{"txid":5}' },
    txidNotHex: { body: '{"txid":"xy"}' },
    noOutputIndexes: { body: `{"txid":"${HASH}"}` },
    belowFloor: { body: `{"txid":"${HASH}"}`, ...lite },
    overloaded: { body: `{"txid":"${HASH}"}`, context: full },
  },
  'POST /get_transactions_status': {
    wrongType: { body: '{"transactionHashes":{}}' },
    transactionHashNotHex: { body: '{"transactionHashes":["xy"]}' },
    overloaded: { body: '{"transactionHashes":[]}', context: full },
  },
};

const call = (method: string, params: string): Provocation => ({ body: `{"method":"${method}","params":${params}}` });

const jsonRpc: Provocations = {
  wrongType: { body: '{"method":5}' },
  invalidId: { body: '{"method":"getblockcount","id":{}}' },
  notFound: { body: '{"method":"no_such_method"}' },
  internal: { body: '{"method":"getblockcount"}', context: broken },
};

const refused = async () => ({ code: 'DIFFICULTY_OVERHEAD', message: '' }) as const;
const mining = { miner: { template: fail, submit: refused }, generator: { generate: fail } };
const miner: Pick<Provocation, 'context'> = { context: node(mining) };

const crowdedPool = {
  list: () => {
    const entry = { id: HASH, fee: 1n, amount: 1n, size: 1 } as ReturnType<RpcContext['pool']['list']>[number];
    return new Array<typeof entry>(80_000).fill(entry);
  },
} as Partial<RpcContext['pool']> as RpcContext['pool'];

const methods: Readonly<Record<string, Provocations>> = {
  getrulesdigest: {
    heightTooBig: call('getrulesdigest', '{"height":101}'),
    digestPending: {
      ...call('getrulesdigest', '{"height":2000}'),
      context: node({}, { facts: () => ({}) as BlockFacts, storedRulesDigest: () => undefined }),
    },
    overloaded: { ...call('getrulesdigest', '{"height":1}'), context: full },
  },
  f_blocks_list_json: {
    heightTooBig: call('f_blocks_list_json', '{"height":101}'),
    blockBelowFloor: { ...call('f_blocks_list_json', '{"height":60}'), ...lite },
    overloaded: { ...call('f_blocks_list_json', '{"height":1}'), context: full },
  },
  f_block_json: {
    blockHashNotHex: call('f_block_json', `{"hash":"${'x'.repeat(64)}"}`),
    blockHashInvalid: call('f_block_json', '{"hash":"-1"}'),
    hashHeightTooBig: call('f_block_json', '{"hash":"102"}'),
    overloaded: { ...call('f_block_json', `{"hash":"${HASH}"}`), context: full },
    blockUnknown: call('f_block_json', `{"hash":"${HASH}"}`),
    blockBelowFloor: { ...call('f_block_json', '{"hash":"7"}'), ...lite },
  },
  f_transaction_json: {
    blockHashNotHex: call('f_transaction_json', '{"hash":"xy"}'),
    transactionUnknown: {
      ...call('f_transaction_json', `{"hash":"${HASH}"}`),
      context: node({}, { transaction: () => undefined }),
    },
    blockBelowFloor: { ...call('f_transaction_json', `{"hash":"${HASH}"}`), ...lite },
    overloaded: { ...call('f_transaction_json', `{"hash":"${HASH}"}`), context: full },
  },
  f_on_transactions_pool_json: {
    responseTooLarge: { body: '{"method":"f_on_transactions_pool_json"}', context: node({ pool: crowdedPool }) },
  },
  f_transactions_by_payment_id_json: {
    shortPaymentId: call('f_transactions_by_payment_id_json', '{"paymentId":"0011223344556677"}'),
    paymentIdNotHex: call('f_transactions_by_payment_id_json', '{"paymentId":"xy"}'),
    overloaded: {
      ...call('f_transactions_by_payment_id_json', `{"paymentId":"${HASH}"}`),
      context: { ...full, pool: emptyPool },
    },
    internal: { ...call('f_transactions_by_payment_id_json', `{"paymentId":"${HASH}"}`), context: broken },
  },
  getblockcount: { busy: { body: '{"method":"getblockcount"}', ...unreadable } },
  getlastblockheader: {
    coreBusy: { body: '{"method":"getlastblockheader"}' },
    blockBelowFloor: { body: '{"method":"getlastblockheader"}', ...lite },
  },
  getblockheaderbyhash: {
    blockHashNotHex: call('getblockheaderbyhash', '{"hash":"xy"}'),
    blockUnknown: call('getblockheaderbyhash', `{"hash":"${HASH}"}`),
    blockBelowFloor: { ...call('getblockheaderbyhash', `{"hash":"${HASH}"}`), ...lite },
  },
  getblockheaderbyheight: {
    heightTooBig: call('getblockheaderbyheight', '{"height":101}'),
    blockBelowFloor: { ...call('getblockheaderbyheight', '{"height":7}'), ...lite },
  },
  getblocktemplate: {
    missing: call('getblocktemplate', '{}'),
    extraNonceNotHex: call('getblocktemplate', '{"extra_nonce":"abc"}'),
    extraNonceTooBig: call('getblocktemplate', `{"extra_nonce":"${'00'.repeat(256)}"}`),
    reserveTooBig: call('getblocktemplate', '{"reserve_size":256}'),
    wrongAddress: call('getblocktemplate', '{"wallet_address":"x"}'),
    templateFailed: { ...call('getblocktemplate', `{"wallet_address":"${ADDRESS}"}`), ...miner },
  },
  submitblock: {
    notOneBlob: call('submitblock', '[]'),
    blobNotHex: call('submitblock', '["x"]'),
    blockNotAccepted: { ...call('submitblock', '["00"]'), ...miner },
  },
  generateblocks: {
    wrongAddress: call('generateblocks', '{"wallet_address":"x"}'),
    countOutOfRange: call('generateblocks', `{"wallet_address":"${ADDRESS}","count":0}`),
    notSeconds: call('generateblocks', `{"wallet_address":"${ADDRESS}","spacing":18446744073709551615}`),
    generateFailed: { ...call('generateblocks', `{"wallet_address":"${ADDRESS}"}`), ...miner },
  },
};

export const routeKey = ({ method, path }: Pick<DaemonRoute, 'method' | 'path'>): string => `${method} ${path}`;

/** The provocations of a route by the name of the error. */
export function provocationsOf(route: DaemonRoute): Provocations {
  const own = route.path === '/json_rpc' ? jsonRpc : routes[routeKey(route)];
  return { ...everywhere, ...own };
}

/** The provocations of a method, in addition to those of its route. */
export function methodProvocations({ name, labels }: DaemonMethod): Provocations {
  const all: Provocations = {
    miningOff: { body: `{"method":"${name}"}`, context: node({ miningOff: true }) },
    missing: { body: `{"method":"${name}"}` },
    wrongType: call(name, '5'),
    internal: { ...call(name, name === 'submitblock' ? '["00"]' : `{"hash":"${HASH}","height":1}`), context: broken },
    ...methods[name],
  };
  if (labels?.mode !== 'BlockExplorerEnabled') return all;
  const explored = Object.entries(all).map(([error, how]) => [
    error,
    how.context === broken ? how : { ...how, context: { ...(how.context ?? node()), explorer: true } },
  ]);
  return { ...(Object.fromEntries(explored) as Provocations), forbidden: call(name, '{}') };
}

/** Errors with a provocation of their own; each must be declared. */
export const ownProvocations: ReadonlyMap<string, readonly string[]> = new Map(
  [...Object.entries(routes), ...Object.entries(methods)].map(([key, own]) => [key, Object.keys(own)]),
);
