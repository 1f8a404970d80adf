import v8 from 'node:v8';
import type * as vm from 'node:vm';
import { chainIdentity, networkOf } from '@wrkz/core-types';
import { type NodeCalls, NodeClient, type SyncBlock, type SyncResponse } from '@wrkz/client';
import { readBinaryResponse, readSyncResponse } from '@wrkz/client/reading';
import { StandInNode } from '@wrkz/testing';
import { BlockStore } from '../../src/sync/block-store';
import { Fetcher, type FetchOptions } from '../../src/sync/fetcher';
import { FakeLedger } from './support/fake-ledger';
import { KEYS, type ScriptedBlock, scriptedChain, serveChain, type ServedChain } from './support/scripted-chain';
import { SyncedWallet } from './support/wallets';

const collect = jest.fn();
jest.mock('node:vm', () => ({ ...jest.requireActual<typeof vm>('node:vm'), runInNewContext: () => collect }));

const open: { close(): unknown }[] = [];
let wallet: SyncedWallet | undefined;

afterEach(async () => {
  jest.restoreAllMocks();
  await wallet?.sync.stop();
  wallet = undefined;
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function clientOf(chain: ServedChain): Promise<NodeClient> {
  const node = serveChain(await StandInNode.start(), chain);
  const client = new NodeClient({ host: '127.0.0.1', port: node.port, ssl: false }, { chain: chainIdentity('devnet') });
  open.push(node, client);
  return client;
}

function opened(node: NodeCalls, options: ConstructorParameters<typeof SyncedWallet>[2] = {}): SyncedWallet {
  wallet = new SyncedWallet(new FakeLedger(KEYS), node, options);
  return wallet;
}

const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, i) => start + i);

const readSync = (body: Buffer): SyncResponse => readBinaryResponse(body) ?? readSyncResponse(body);

const { signal } = new AbortController();

/** A fetcher alone: the test applies the stored blocks. */
function fetcherOf(node: NodeCalls, options: Omit<FetchOptions, 'network'>) {
  const [ledger, store] = [new FakeLedger(KEYS), new BlockStore()];
  const unused = (): never => {
    throw new Error('not expected');
  };
  const dependencies = { node: () => node, ledger, store, read: readSync, warn: unused, rewind: unused };
  return { fetcher: new Fetcher(dependencies, { network: networkOf('devnet'), ...options }), ledger, store };
}

/** Adds a transaction that pays the wallet to a block. */
function pay(blocks: ScriptedBlock[], height: number): ScriptedBlock[] {
  const [block, payment] = [blocks[height], scriptedChain(2, 'other')[1]?.coinbaseTX];
  if (block !== undefined && payment !== undefined) {
    blocks[height] = { ...block, transactions: [{ ...payment, inputs: [], paymentID: '' }] };
  }
  return blocks;
}

test.each([10, 150, 290])(
  'applies each of the last 181 blocks without coinbases, although all are empty (non-empty block %i)',
  async (nonEmpty) => {
    const blocks = pay(scriptedChain(300), nonEmpty);
    const chain = { blocks, isSparse: true };
    const synced = opened(await clientOf(chain), { skipCoinbases: true });
    const applied: SyncBlock[] = [];
    synced.sync.on('applied', (_, one) => applied.push(one));
    await synced.untilSynced();
    expect(applied.map(({ height }) => height)).toEqual([
      ...range(nonEmpty, Math.min(119, nonEmpty + 1)),
      ...range(119, 300),
    ]);
    expect(applied.filter(({ coinbase }) => coinbase !== undefined)).toEqual([]);
    expect(synced.ledger.total).toBe(1_000n);
    chain.blocks = scriptedChain(301, 'main', blocks);
    await synced.until(() => synced.ledger.position().height === 300);
    expect(applied.at(-1)?.height).toBe(300);
  },
);

test('omits empty blocks in every request below those that are requested completely', async () => {
  const client = await clientOf({ blocks: pay(scriptedChain(3_000), 10), isSparse: true });
  const synced = opened(client, { skipCoinbases: true, maxBlocks: 5 });
  const applied: number[] = [];
  synced.sync.on('applied', (_, { height }) => applied.push(height));
  await synced.untilSynced();
  expect(applied).toEqual([10, ...range(2_819, 3_000)]);
});

test('reaches the tip with a maximum of one block per request', async () => {
  const synced = opened(await clientOf({ blocks: scriptedChain(10) }), { maxBlocks: 1 });
  await synced.until(() => synced.ledger.position().height === 9);
  expect(synced.ledger.total).toBe(10_000n);
});

test.each([false, true])(
  'refuses a block above the plausible height (coinbases skipped: %s)',
  async (skipCoinbases) => {
    const plausible = { height: 120 };
    const client = await clientOf({ blocks: scriptedChain(150), isSparse: true });
    const synced = opened(client, { skipCoinbases, plausibleHeight: () => plausible.height });
    await synced.until(() => synced.sync.status.stall?.code === 'nodeHostile');
    expect(synced.sync.status.stall?.message).toMatch(/can have reached 120 at most/);
    expect(synced.ledger.position().height).toBeLessThanOrEqual(120);
    plausible.height = 149;
    await synced.untilSynced();
    expect(synced.ledger.position().height).toBe(149);
  },
);

test('drops the payment of a replaced block although the blocks of the new branch are empty and omitted', async () => {
  const blocks = pay(scriptedChain(60), 59);
  const chain: ServedChain = { blocks, isSparse: true };
  const node = await clientOf(chain);
  const synced = opened(node, { skipCoinbases: true });
  await synced.untilSynced();
  expect(synced.ledger.total).toBe(1_000n);
  await synced.sync.stop();
  chain.blocks = scriptedChain(300, 'fork', blocks.slice(0, 55));
  await synced.sync.swap(node);
  await synced.until(() => synced.ledger.position().height === 299);
  expect(synced.ledger.total).toBe(0n);
});

test.each([1, 10])(
  'requests no blocks while %i stored ones replace applied ones: a node may return to the replaced branch',
  async (depth) => {
    const main = scriptedChain(60);
    const chain = { blocks: main };
    const node = await clientOf(chain);
    const synced = opened(node);
    await synced.untilSynced();
    await synced.sync.stop();
    const store = new BlockStore();
    const unused = (): never => {
      throw new Error('not expected');
    };
    const { ledger } = synced;
    const dependencies = { node: () => node, ledger, store, read: readSync, warn: unused, rewind: unused };
    const fetcher = new Fetcher(dependencies, { network: networkOf('devnet') });
    const { signal } = new AbortController();
    fetcher.noteInfo(await node.info(signal));
    chain.blocks = scriptedChain(60, 'fork', main.slice(0, 60 - depth));
    expect(await fetcher.step(signal)).toBe('stored');
    chain.blocks = scriptedChain(61, 'main', main);
    expect(await fetcher.step(signal)).toBe('replacing');
    expect(store.first(100).map(({ height }) => height)).toEqual(range(60 - depth, 60));
    store.clear();
    expect(await fetcher.step(signal)).toBe('stored');
    expect(store.first(100).map(({ height }) => height)).toEqual([60]);
  },
);

test('misses no payment when the node replaces 180 empty blocks between two requests', async () => {
  const main = scriptedChain(300);
  const chain: ServedChain = { blocks: main, isSparse: true };
  const node = await clientOf(chain);
  const request = node.walletSyncData.bind(node);
  node.walletSyncData = async (...given) => {
    const response = await request(...given);
    chain.blocks = pay(scriptedChain(301, 'fork', main.slice(0, 120)), 120);
    return response;
  };
  const synced = opened(node, { skipCoinbases: true });
  await synced.until(() => synced.ledger.position().height === 300);
  expect(synced.ledger.total).toBe(1_000n);
});

test('a node that was below the wallet may return with other blocks: the next response is complete', async () => {
  const main = pay(pay(scriptedChain(400), 10), 20);
  const chain: ServedChain = { blocks: main, isSparse: true };
  const node = await clientOf(chain);
  const { fetcher, ledger, store } = fetcherOf(node, { skipCoinbases: true });
  const info = await node.info(signal);
  fetcher.noteInfo(info);
  expect(await fetcher.step(signal)).toBe('stored');
  for (const block of store.first(100)) ledger.apply(block, [], new Map());
  store.clear();
  fetcher.noteInfo({ ...info, localHeight: 15 });
  expect(await fetcher.step(signal)).toBe('behind');
  chain.blocks = scriptedChain(401, 'fork', main.slice(0, 15));
  fetcher.noteInfo(await node.info(signal));
  expect(await fetcher.step(signal)).toBe('stored');
  expect(store.next?.height).toBe(11);
});

test('the first response after the tip is complete: the node may have replaced the last blocks by empty ones', async () => {
  const main = scriptedChain(60);
  const chain: ServedChain = { blocks: main, isSparse: true };
  const node = await clientOf(chain);
  const { fetcher, ledger, store } = fetcherOf(node, { skipCoinbases: true });
  fetcher.noteInfo(await node.info(signal));
  expect(await fetcher.step(signal)).toBe('stored');
  for (const block of store.first(100)) ledger.apply(block, [], new Map());
  store.clear();
  expect(await fetcher.step(signal)).toBe('tip');
  chain.blocks = scriptedChain(3_000, 'fork', main.slice(0, 55));
  fetcher.noteInfo(await node.info(signal));
  expect(await fetcher.step(signal)).toBe('stored');
  expect(store.next?.height).toBe(55);
});

test('a response with one block below those that are requested completely: it is applied', async () => {
  const blocks = pay(pay(scriptedChain(300), 10), 290);
  const synced = opened(await clientOf({ blocks, isSparse: true }), { skipCoinbases: true });
  await synced.until(() => synced.ledger.position().height === 299);
  expect(synced.ledger.blocks.slice(0, 3).map(({ height }) => height)).toEqual([10, 119, 120]);
});

test('windows: one that lacks its last block ends the round, and no block is stored after a reset', async () => {
  const client = await clientOf({ blocks: scriptedChain(1_500) });
  const request = client.walletSyncData.bind(client);
  let onWindow = (): void => undefined;
  client.walletSyncData = async (given, ...rest) => {
    if (given.endHeight === 0) return request(given, ...rest);
    const response = await request({ ...given, endHeight: given.endHeight - 1 }, ...rest);
    onWindow();
    return response;
  };
  const { fetcher, store } = fetcherOf(client, { maxBlocks: 100 });
  fetcher.noteInfo(await client.info(signal));
  expect(await fetcher.step(signal)).toBe('stored');
  expect(await fetcher.step(signal)).toBe('stored');
  expect(store.first(1_000).map(({ height }) => height)).toEqual(range(0, 199));
  onWindow = () => fetcher.reset();
  await fetcher.step(signal);
  expect(store.isEmpty).toBe(true);
});

test('collects garbage after 4 MiB of responses', async () => {
  jest.spyOn(v8, 'getHeapStatistics').mockReturnValue({ ...v8.getHeapStatistics(), used_heap_size: 1 });
  const client = await clientOf({ blocks: scriptedChain(10), padding: 'x'.repeat(3 * 1024 * 1024) });
  const { fetcher } = fetcherOf(client, { maxBlocks: 2 });
  fetcher.noteInfo(await client.info(signal));
  await fetcher.step(signal);
  expect(collect).not.toHaveBeenCalled();
  await fetcher.step(signal);
  expect(collect).toHaveBeenCalled();
});
