import { join } from 'node:path';
import { openChainDb, rulesDigest } from '@wrkz/chain-db';
import { decodeTransactionPrefix } from '@wrkz/core-types';
import { chainAWallet, writeChainADump } from '@wrkz/testing';
import { newSuite } from '../network/daemons';

/*
 * Chain A, 721 blocks, on a full node, a pruned one (devnet: 400 bodies, from block 321 on) and a lite one (from block 300 on):
 * equal responses where all have the data, and the documented refusals elsewhere.
 */

const suite = newSuite();
const FLOOR = 321;
const LITE = 300;
const LITE_ARGS = ['--lite', '--lite-height', String(LITE)];
const PRUNED_TEXT = `This node is a pruned node and stores no block data below height ${FLOOR}`;
const LITE_TEXT = `This node is a lite node and stores no transaction data below height ${LITE}`;

type Node = Awaited<ReturnType<typeof suite.node>>;
let full: Node;
let pruned: Node;
let lite: Node;
/** Stopped, for starts with other options. */
let data: { full: string; lite: string };

/** Until the pass at the start, which may be over already, has dropped what has left the window. */
async function untilPruned(node: Node): Promise<void> {
  const directory = join(node.dataDir, 'devnet');
  const db = openChainDb({ directory, network: 'devnet', readonly: true });
  try {
    while (db.reader.floors().bodies < FLOOR) await new Promise((turn) => setImmediate(turn));
  } finally {
    db.close();
  }
}

beforeAll(async () => {
  const chainA = await suite.chainA();
  const dump = join(suite.folder(), 'chain-a.dump');
  writeChainADump(dump);
  const liteFolder = suite.folder();
  expect(await suite.run(liteFolder, [...LITE_ARGS, '--import-blockchain', '--dump-file', dump])).toBe(0);
  data = { full: chainA, lite: liteFolder };
  full = await suite.node({ from: chainA });
  pruned = await suite.node({ from: chainA, args: ['--prune'] });
  lite = await suite.node({ from: liteFolder, args: LITE_ARGS });
  await untilPruned(pruned);
});
afterAll(() => suite.stopAll());

/** The response or the refusal of a node. */
async function resultOrRefusal(node: Node, request: (node: Node) => Promise<unknown>): Promise<unknown> {
  return request(node).catch((error: unknown) => ({ refused: (error as Error).message }));
}

async function responsesOf(
  request: (node: Node) => Promise<unknown>,
): Promise<{ full: unknown; pruned: unknown; lite: unknown }> {
  const [one, two, three] = [
    await resultOrRefusal(full, request),
    await resultOrRefusal(pruned, request),
    await resultOrRefusal(lite, request),
  ];
  return { full: one, pruned: two, lite: three };
}

async function same(request: (node: Node) => Promise<unknown>): Promise<void> {
  const { full: whole, ...others } = await responsesOf(request);
  expect(others).toEqual({ pruned: whole, lite: whole });
  expect(whole).not.toHaveProperty('refused');
}

const sync = (body: object) => (node: Node) =>
  node.post<{ items: { blockHeight: number }[] }>('/getwalletsyncdata', { blockCount: 1000, ...body });

test('/info returns the mode', async () => {
  const info = (node: Node) => node.get<Record<string, unknown>>('/info');
  const of = async (node: Node) => {
    const {
      pruned: isPruned,
      prune_depth,
      prune_capability_active,
      lite: isLite,
      lite_start_height,
      major_version,
    } = await info(node);
    return [isPruned, prune_depth, prune_capability_active, isLite, lite_start_height, major_version];
  };
  const version = (await info(full))['major_version'];
  expect(await of(full)).toEqual([false, 400, true, false, 0, version]);
  expect(await of(pruned)).toEqual([true, 400, true, false, 0, version]);
  expect(await of(lite)).toEqual([false, 400, true, true, LITE, version]);
  const [a, b, c] = [await info(full), await info(pruned), await info(lite)];
  for (const name of ['height', 'top_block_hash', 'tx_count', 'difficulty', 'upgrade_heights']) {
    expect([name, b[name], c[name]]).toEqual([name, a[name], a[name]]);
  }
});

test('the consensus state is the same in all three modes', async () => {
  const digests = [full, pruned, lite].map(({ dataDir }) => {
    const db = openChainDb({ directory: join(dataDir, 'devnet'), network: 'devnet', readonly: true });
    try {
      return rulesDigest(db.reader);
    } finally {
      db.close();
    }
  });
  expect(new Set(digests).size).toBe(1);
});

test('data of the upper chain is the same in all three modes', async () => {
  await same((node) => node.rpc('getlastblockheader'));
  await same((node) => node.rpc('getblockheaderbyheight', { height: FLOOR }));
  await same((node) => node.rpc('getblockheaderbyheight', { height: 0 }));
  await same((node) => node.rpc('getblockcount'));
  await same(sync({ startHeight: FLOOR }));
  await same((node) => node.post('/getrawblocks', { startHeight: FLOOR, blockCount: 1000 }));
  await same((node) => node.post('/get_global_indexes_for_range', { startHeight: FLOOR, endHeight: 721 }));
});

test('wallets rescan from a pruned node as from a full one, and from a lite one above its lite height', async () => {
  const { full: whole, pruned: other, lite: part } = await responsesOf(sync({}));
  expect(other).toEqual(whole);
  expect(whole).toMatchObject({ items: { length: 721 } });
  expect(part).toEqual(await sync({ startHeight: LITE })(full));
  // A timestamp below the height is ignored.
  const { lite: dropped } = await responsesOf(sync({ startTimestamp: 4_000_000_000 }));
  expect(dropped).toEqual(part);
  const known = (await sync({ startHeight: 10, blockCount: 1 })(full)) as unknown as { items: { blockHash: string }[] };
  const { lite: behind } = await responsesOf(sync({ blockHashCheckpoints: [known.items[0]?.blockHash] }));
  expect(behind).toEqual(part);
});

test('/getrawblocks starts at the first stored block', async () => {
  const request = (startHeight: number) => (node: Node) =>
    node.post('/getrawblocks', { startHeight, blockCount: 1000 });
  const { pruned: fromFloor, lite: fromLite } = await responsesOf(request(5));
  expect(fromFloor).toEqual(await request(FLOOR)(full));
  expect(fromLite).toEqual(await request(LITE)(full));
});

test('headers and indexes below are refused by name, or returned if they are stored', async () => {
  const header = (height: number) => (node: Node) => node.rpc('getblockheaderbyheight', { height });
  expect(await responsesOf(header(FLOOR - 1))).toMatchObject({
    full: { block_header: { height: FLOOR - 1 } },
    pruned: { refused: PRUNED_TEXT },
    lite: { block_header: { height: FLOOR - 1 } },
  });
  const { block_header } = await full.rpc<{ block_header: { hash: string } }>('getblockheaderbyheight', {
    height: LITE - 1,
  });
  expect(await responsesOf((node) => node.rpc('getblockheaderbyhash', { hash: block_header.hash }))).toMatchObject({
    pruned: { refused: PRUNED_TEXT },
    lite: { refused: LITE_TEXT },
  });
  const ranges = await responsesOf((node) =>
    node.post('/get_global_indexes_for_range', { startHeight: LITE - 1, endHeight: LITE + 1 }),
  );
  expect(ranges.pruned).toEqual(ranges.full);
  expect(ranges.lite).toEqual({ refused: expect.stringContaining(LITE_TEXT) });
  const lists = await responsesOf((node) => node.post('/queryblockslite', { blockIds: [], timestamp: 0 }));
  expect(lists).toMatchObject({
    pruned: { refused: expect.stringContaining(PRUNED_TEXT) },
    lite: { refused: expect.stringContaining(LITE_TEXT) },
  });
});

test('transactions below are in a block, or unknown on a lite node; their outputs are decoys in every mode', async () => {
  const db = openChainDb({ directory: join(full.dataDir, 'devnet'), network: 'devnet', readonly: true });
  const scan = db.reader.scanBlocks(100, LITE);
  db.close();
  const hash = scan.hashes[0]!.toString('hex');
  const status = (node: Node) => node.status([hash]);
  expect(await responsesOf(status)).toMatchObject({
    full: { transactionsInBlock: [hash] },
    pruned: { transactionsInBlock: [hash] },
    lite: { transactionsUnknown: [hash] },
  });
  const indexes = await responsesOf((node) => node.post('/get_o_indexes', { txid: hash }));
  expect(indexes.pruned).toEqual(indexes.full);
  expect(indexes.lite).toEqual({ refused: expect.stringContaining(LITE_TEXT) });
  const amount = decodeTransactionPrefix(scan.prefixes[0]!).outputs[0]!.amount;
  const outs = (node: Node) => node.post<object[]>('/getrandom_outs', { outs_count: 3, amounts: [Number(amount)] });
  for (const node of [full, pruned, lite]) expect(await outs(node)).toMatchObject({ status: 'OK' });
});

test('all modes add the next block, and a full node does not fetch from peers without the needed blocks', async () => {
  const [first] = await full.generate(chainAWallet('alice').address);
  const three = await suite.node({ from: data.lite, args: LITE_ARGS, peers: [full.p2pPort] });
  await three.untilTip(first as string);
  const fresh = await suite.node({ peers: [pruned.p2pPort, lite.p2pPort] });
  await fresh.untilConnections(2);
  const about = fresh.daemon.parts.peers.peers();
  expect(about.map(({ pruned: isPruned }) => isPruned).sort()).toEqual([false, true]);
  expect([fresh.daemon.parts.peers.sync().activePeers, fresh.height]).toEqual([0, 0]);
  await Promise.all([fresh.stop(), three.stop()]);
});
