import { chainIdentity } from '@wrkz/core-types';
import { once } from 'node:events';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import {
  omitGlobalIndexes,
  respondAsJuly2025,
  respondAsLiteNode,
  CHAIN_A_HEIGHT,
  chainAWallet,
  StandInNode,
  Suite,
  type SuiteNode,
  unspentOnChainA,
} from '@wrkz/testing';
import { type NodeAddress, NodeList, PackedBlock, readSyncResponse, type SyncRequest } from '@wrkz/client';
import { ResponseParser } from '../../src/sync/parser/response-parser';
import { FakeLedger } from './support/fake-ledger';
import { contentOf, expectedOf, keysOf, nodeAt, SyncedWallet } from './support/wallets';

/* Wallets of chain A, scanned from a daemon that has it; `wallet/chain-a.slow.test.ts` scans all of them. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const wallets: SyncedWallet[] = [];
let node: SuiteNode;

function open(name: string, port = node.daemon.ports.rpc, isView = false): SyncedWallet {
  const client = suite.closeAtEnd(closing(nodeAt(port)));
  const wallet = new SyncedWallet(new FakeLedger(keysOf(name, isView)), client);
  wallets.push(wallet);
  return wallet;
}

const closing = <T extends { close(): void }>(resource: T): T & { close(): Promise<void> } => {
  const close = resource.close.bind(resource);
  return Object.assign(resource, { close: async () => close() });
};

const syncRequest = (more: Partial<SyncRequest>): SyncRequest => ({
  ...{ checkpoints: [], startHeight: 0, startTimestamp: 0, blockCount: 100, endHeight: 0 },
  ...{ skipCoinbases: false, skipEmptyBlocks: false, isBase64: false },
  ...more,
});

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
});

afterEach(async () => {
  await Promise.all(wallets.splice(0).map(({ sync }) => sync.stop()));
});

afterAll(() => suite.stopAll());

test.each(['dave', 'grace'])('%s has the recorded transactions, payment ids and balance', async (name) => {
  const wallet = open(name);
  await wallet.untilSynced();
  expect(contentOf(wallet.ledger)).toEqual(expectedOf(name));
  expect(wallet.sync.status).toMatchObject({
    walletHeight: CHAIN_A_HEIGHT,
    localHeight: CHAIN_A_HEIGHT,
    stall: undefined,
  });
  await wallet.until(() => wallet.ledger.unindexedOutputs().length === 0);
  expect(wallet.warnings).toEqual([]);
});

test('the global indexes, one-time secrets and key images are those of the chain', async () => {
  const wallet = open('alice');
  await wallet.untilSynced();
  await wallet.until(() => wallet.ledger.unindexedOutputs().length === 0);
  const own = new Map(wallet.ledger.outputs.map((output) => [output.key, output]));
  const spendable = unspentOnChainA(chainAWallet('alice'));
  expect(spendable.length).toBeGreaterThan(50);
  for (const { publicKey, globalIndex, secretKey } of spendable) {
    const output = own.get(publicKey.toString('hex'));
    expect(output).toMatchObject({ globalIndex, privateEphemeral: secretKey.toString('hex'), spentAt: undefined });
  }
});

test('receives the indexes with the bytes of the blocks', async () => {
  const observed = suite.closeAtEnd(await StandInNode.start(node.url));
  const wallet = open('alice', observed.port);
  await wallet.untilSynced();
  expect(wallet.ledger.unindexedOutputs()).toEqual([]);
  expect(observed.requestsTo('/get_global_indexes_for_range')).toEqual([]);
});

test('requests the indexes of outputs that are found during a request without the retry interval', async () => {
  const slow = omitGlobalIndexes(suite.closeAtEnd(await StandInNode.start(node.url)));
  let [respond, reportRequest] = [(): void => undefined, (): void => undefined];
  const held = new Promise<void>((resolve) => (respond = resolve));
  const requested = new Promise<void>((resolve) => (reportRequest = resolve));
  slow
    .on('/get_global_indexes_for_range', async (_request, behind) => {
      reportRequest();
      await held;
      return behind();
    })
    .on('/getwalletsyncdata', async (_request, behind) => {
      if (slow.requestsTo('/getwalletsyncdata').length > 1) await requested;
      return behind();
    });
  const wallet = open('alice', slow.port);
  await wallet.untilSynced();
  expect(slow.requestsTo('/get_global_indexes_for_range')).toHaveLength(1);
  // The clock stops: no wait ends from here on.
  wallet.clock.stop();
  respond();
  while (wallet.ledger.unindexedOutputs().length > 0) await once(wallet.sync, 'indexed');
});

test('a view wallet lists incoming transactions and requests no indexes', async () => {
  const wallet = open('bob-view', undefined, true);
  await wallet.untilSynced();
  expect(contentOf(wallet.ledger)).toEqual(expectedOf('bob-view'));
  expect(wallet.ledger.unindexedOutputs()).toEqual([]);
});

test('alice has the same transactions at a node of July 2025', async () => {
  const old = suite.closeAtEnd(respondAsJuly2025(await StandInNode.start(node.url)));
  const wallet = open('alice', old.port);
  await wallet.untilSynced();
  expect(contentOf(wallet.ledger)).toEqual(expectedOf('alice'));
  const counts = old.requestsTo('/getwalletsyncdata').map(({ body }) => Number(body['blockCount']));
  expect(Math.max(...counts)).toBe(100);
  expect(old.requestsTo('/getwalletsyncdata')[0]?.body).not.toHaveProperty('encoding');
});

test('binary responses of our nodes have the blocks of their JSON', async () => {
  const client = suite.closeAtEnd(closing(nodeAt(node.daemon.ports.rpc)));
  for (const skipCoinbases of [false, true]) {
    const request = syncRequest({ skipCoinbases, blockCount: 1_000 });
    const { blocks } = await client.walletSyncData(request, undefined, new ResponseParser().read);
    const body = JSON.stringify({ blockCount: 1_000, skipCoinbaseTransactions: skipCoinbases });
    const json = await fetch(`${node.url}/getwalletsyncdata`, { method: 'POST', body });
    expect(blocks.length).toBeGreaterThan(100);
    expect(blocks.every((block) => block instanceof PackedBlock)).toBe(true);
    expect(
      blocks.map(({ height, hash, timestamp, coinbase, transactions }) => {
        return { height, hash, timestamp, coinbase, transactions };
      }),
    ).toEqual(readSyncResponse(Buffer.from(await json.arrayBuffer())).blocks);
  }
});

test('starts the scan at the first block of a lite node, with a warning', async () => {
  const lite = suite.closeAtEnd(respondAsLiteNode(await StandInNode.start(node.url), 300));
  const wallet = open('alice', lite.port);
  await wallet.untilSynced();
  expect(wallet.ledger.start).toEqual({ height: 300, timestamp: 0 });
  expect(wallet.warnings).toEqual([expect.stringContaining('has no blocks below 300')]);
  expect(wallet.ledger.blocks[0]?.height).toBe(300);
  expect(wallet.sync.status).toMatchObject({ liteStartHeight: 300, gap: undefined, walletHeight: CHAIN_A_HEIGHT });
});

test('reports a gap below the first block of a lite node, and continues at a full node', async () => {
  const lite = suite.closeAtEnd(respondAsLiteNode(await StandInNode.start(node.url), 300));
  const wallet = open('alice', lite.port);
  const client = nodeAt(node.daemon.ports.rpc);
  const { blocks } = await client.walletSyncData(syncRequest({ blockCount: 100 }));
  for (const block of blocks) wallet.ledger.apply(block, [], new Map());
  await wallet.until(() => wallet.sync.status.gap !== undefined);
  expect(wallet.sync.status.gap).toEqual({ coveredTo: 99, servesFrom: 300 });
  expect(wallet.sync.status.stall).toMatchObject({ code: 'gap', message: expect.stringContaining('below 300') });
  expect(wallet.ledger.position().height).toBe(99);
  await wallet.sync.swap(client);
  await wallet.untilSynced();
  expect(wallet.sync.status.gap).toBeUndefined();
  expect(wallet.ledger.position().height).toBe(CHAIN_A_HEIGHT);
  await wallet.sync.stop();
  client.close();
});

test('replaces a start timestamp with the height of the first returned block', async () => {
  const wallet = new SyncedWallet(
    new FakeLedger(keysOf('alice'), { height: 0, timestamp: 1_700_039_707 }),
    nodeAt(node.daemon.ports.rpc),
  );
  wallets.push(wallet);
  await wallet.untilSynced();
  expect(wallet.ledger.start.timestamp).toBe(0);
  expect(wallet.ledger.blocks[0]?.height).toBe(wallet.ledger.start.height);
});

test('reaches the tip without coinbases and their amounts', async () => {
  const wallet = new SyncedWallet(new FakeLedger(keysOf('carol-nocoinbase')), nodeAt(node.daemon.ports.rpc), {
    skipCoinbases: true,
  });
  wallets.push(wallet);
  await wallet.untilSynced();
  expect(contentOf(wallet.ledger)).toEqual(expectedOf('carol-nocoinbase'));
});

test('continues at the next node of the list when one stops, and returns to the first one later', async () => {
  const first = await StandInNode.start(node.url);
  let results = 0;
  first.on('/getwalletsyncdata', async (_request, behind) => {
    if (++results > 2) return (response) => response.destroy();
    return behind();
  });
  const address = (port: number): NodeAddress => ({ host: '127.0.0.1', port, ssl: false });
  const clock = { now: 0 };
  const list = new NodeList([address(first.port), address(node.daemon.ports.rpc)], {
    chain: chainIdentity('devnet'),
    now: () => clock.now,
  });
  const switches: string[] = [];
  list.on('switched', ({ to }) => switches.push(to));
  const wallet = new SyncedWallet(new FakeLedger(keysOf('alice')), list);
  wallets.push(wallet);
  await wallet.untilSynced();
  expect(contentOf(wallet.ledger)).toEqual(expectedOf('alice'));
  expect(switches).toEqual([`http://127.0.0.1:${String(node.daemon.ports.rpc)}`]);
  expect(list.nodes()).toEqual([
    { name: `http://127.0.0.1:${String(first.port)}`, isInUse: false, failure: expect.stringContaining('reached') },
    { name: switches[0], isInUse: true, failure: undefined },
  ]);
  first.off('/getwalletsyncdata');
  clock.now = 60_000;
  await list.info();
  expect(list.nodes()[0]).toMatchObject({ isInUse: true, failure: undefined });
  await wallet.sync.stop();
  list.close();
  await first.close();
});
