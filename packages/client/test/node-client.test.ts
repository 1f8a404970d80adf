import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StandInNode } from '@wrkz/testing';
import { NodeClient, NodeList, NodeFailure } from '../src';

const GENESIS = 'ab'.repeat(32);
const CHAIN = { genesisHash: GENESIS, knownBlocks: [], foreignBlocks: [] };
const INFO = {
  ...{ height: 11, network_height: 13, difficulty: 10, status: 'OK' },
  ...{ incoming_connections_count: 3, outgoing_connections_count: 2 },
};
const open: { close(): unknown }[] = [];
const keep = <T extends { close(): unknown }>(resource: T): T => {
  open.push(resource);
  return resource;
};

async function standIn(genesis = GENESIS): Promise<StandInNode> {
  const header = { hash: genesis, height: 0, orphan_status: false };
  return keep(await StandInNode.start())
    .on('/info', () => ({ json: INFO }))
    .on('/json_rpc', () => ({ json: { jsonrpc: '2.0', result: { block_header: header, status: 'OK' } } }));
}

const address = ({ port }: StandInNode, token?: string) => ({ host: '127.0.0.1', port, ssl: false, token });

afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.close();
});

test('reads the heights of a node without the newer fields', async () => {
  const client = keep(new NodeClient(address(await standIn()), { chain: CHAIN }));
  expect(await client.info()).toEqual({
    ...{ localHeight: 10, networkHeight: 12, peerCount: 5, difficulty: 10n },
    ...{ liteStartHeight: 0, syncFeatures: [], isCompressed: false },
  });
});

test('sends the token, and checks the first block once', async () => {
  const node = await standIn();
  const client = keep(new NodeClient(address(node, 'secret'), { chain: CHAIN }));
  await Promise.all([client.info(), client.info()]);
  await client.info();
  expect(node.requestsTo('/json_rpc')).toHaveLength(1);
  expect(node.requests.map(({ headers }) => headers['x-api-key'])).toEqual(Array(4).fill('secret'));
  expect(node.requests[0]?.headers['user-agent']).toMatch(/^Nigel\//);
});

test('refuses a node with another first block before any other request', async () => {
  const node = await standIn('cd'.repeat(32));
  const client = keep(new NodeClient(address(node), { chain: CHAIN }));
  await expect(client.info()).rejects.toMatchObject({ kind: 'foreignChain' });
  expect(node.requestsTo('/info')).toEqual([]);
});

test('checks the first block again after the connection broke', async () => {
  const node = await standIn();
  const client = keep(new NodeClient(address(node), { chain: CHAIN }));
  await client.info();
  node.on('/info', () => (response) => void response.destroy());
  await expect(client.info()).rejects.toMatchObject({ kind: 'unreachable' });
  const header = { hash: 'cd'.repeat(32), height: 0, orphan_status: false };
  node
    .on('/info', () => ({ json: INFO }))
    .on('/json_rpc', () => ({ json: { result: { block_header: header, status: 'OK' } } }));
  await expect(client.info()).rejects.toMatchObject({ kind: 'foreignChain' });
});

test('repeats a check of the first block that failed', async () => {
  const node = await standIn();
  node.on('/json_rpc', () => ({ status: 500 }));
  const client = keep(new NodeClient(address(node), { chain: CHAIN }));
  await expect(client.info()).rejects.toMatchObject({ kind: 'failed' });
  const header = { hash: GENESIS, height: 0, orphan_status: false };
  node.on('/json_rpc', () => ({ json: { result: { block_header: header, status: 'OK' } } }));
  await expect(client.info()).resolves.toMatchObject({ localHeight: 10 });
});

test('a block of a branch is not a block of the main chain', async () => {
  const node = await standIn();
  const client = keep(new NodeClient(address(node)));
  const block = (isOrphan: boolean) => {
    const header = { hash: GENESIS, height: 7, orphan_status: isOrphan };
    node.on('/json_rpc', () => ({ json: { result: { block_header: header, status: 'OK' } } }));
    return client.mainBlock(GENESIS);
  };
  expect([(await block(false))?.height, await block(true)]).toEqual([7, undefined]);
});

test('does not repeat a request on a new connection that broke', async () => {
  const node = await standIn();
  node.on('/info', () => (response) => void response.destroy());
  await expect(keep(new NodeClient(address(node))).info()).rejects.toMatchObject({ kind: 'unreachable' });
  expect(node.requestsTo('/info')).toHaveLength(1);
});

const [A, B, OTHER] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32)) as [string, string, string];
const KNOWN = [
  { height: 100, hash: A },
  { height: 5_000, hash: B },
];

test.each([
  ['both known blocks', { 100: A, 5_000: B }, true],
  ['the lower known block, and no higher one yet', { 100: A }, true],
  ['no known block yet', {}, true],
  ['another block at the lower known height', { 100: OTHER }, false],
  ['the lower known block, and another one at the higher height', { 100: A, 5_000: OTHER }, false],
] as const)('accepts a node of a network with known blocks that has %s (%j): %s', async (_name, hashes, isAccepted) => {
  const client = keep(new NodeClient(address(await nodeWith(hashes)), { chain: { ...CHAIN, knownBlocks: KNOWN } }));
  if (isAccepted) await expect(client.info()).resolves.toMatchObject({ localHeight: 10 });
  else await expect(client.info()).rejects.toMatchObject({ kind: 'foreignChain' });
});

test.each([
  ['is refused if it has a block of another network', { 100: A }, false],
  ['is accepted with a block of its own at that height', { 100: OTHER }, true],
] as const)('of a network without known blocks, a node %s', async (_name, hashes, isAccepted) => {
  const chain = { ...CHAIN, foreignBlocks: KNOWN.slice(0, 1) };
  const client = keep(new NodeClient(address(await nodeWith(hashes)), { chain }));
  if (isAccepted) await expect(client.info()).resolves.toMatchObject({ localHeight: 10 });
  else await expect(client.info()).rejects.toMatchObject({ kind: 'foreignChain' });
});

/** A node with block hashes by height. */
async function nodeWith(hashes: Readonly<Record<number, string>>): Promise<StandInNode> {
  const all: Readonly<Record<number, string>> = { 0: GENESIS, ...hashes };
  return (await standIn()).on('/json_rpc', ({ body }) => {
    const { height } = body['params'] as { height: number };
    const hash = all[height];
    if (hash === undefined) return { json: { jsonrpc: '2.0', error: { code: -2, message: 'too big height' } } };
    return { json: { jsonrpc: '2.0', result: { block_header: { hash, height, orphan_status: false }, status: 'OK' } } };
  });
}

test.each([
  [{ status: 429 }, 'rateLimited'],
  [{ status: 401, json: { status: 'Failed', error: 'Unauthorized\u0007' } }, 'refused'],
  [{ status: 503, json: { status: 'BUSY' } }, 'failed'],
  [{ status: 302 }, 'failed'],
  [{ json: { status: 'BUSY' } }, 'failed'],
  [{ text: '{"status":"OK"' }, 'malformed'],
  [{ json: { ...INFO, height: -1 } }, 'malformed'],
  [{ json: { ...INFO, pad: 'x'.repeat(70_000) } }, 'tooLarge'],
] as const)('%j is reported with its kind of failure: %s', async (outcome, kind) => {
  const node = (await standIn()).on('/info', () => outcome);
  const client = keep(new NodeClient(address(node)));
  const failure = await client.info().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NodeFailure);
  expect(failure).toMatchObject({ kind });
  // eslint-disable-next-line no-control-regex -- these must not come out of a node
  expect((failure as Error).message).not.toMatch(/[\u0000-\u001f]/);
});

test('the failure of a refused decoy request has its code', async () => {
  const json = { errorCode: 27, errorMessage: 'too few' };
  const node = (await standIn()).on('/getrandom_outs', () => ({ status: 400, json }));
  const client = keep(new NodeClient(address(node)));
  await expect(client.randomOuts([1n], 4)).rejects.toMatchObject({
    facts: { status: 400, errorCode: 27, text: 'too few' },
  });
});

test('never sends a transaction twice, and reads the amount 2^64 - 1 exactly', async () => {
  const node = (await standIn())
    .on('/sendrawtransaction', () => (response) => response.destroy())
    .on('/getrandom_outs', () => ({ text: '{"outs":[{"amount":18446744073709551615,"outs":[]}],"status":"OK"}' }));
  const other = (await standIn()).on('/sendrawtransaction', () => ({ json: { status: 'OK', error: '' } }));
  const list = keep(new NodeList([address(node), address(other)], { chain: CHAIN }));
  expect(await list.randomOuts([2n ** 64n - 1n], 1)).toEqual([{ amount: 2n ** 64n - 1n, outs: [] }]);
  await expect(list.sendTransaction(Buffer.of(1))).rejects.toMatchObject({ kind: 'unreachable' });
  expect([node, other].map((one) => one.requestsTo('/sendrawtransaction').length)).toEqual([1, 0]);
  expect(list.nodes().map(({ isInUse }) => isInUse)).toEqual([false, true]);
  expect(await list.sendTransaction(Buffer.of(1))).toEqual({ isAccepted: true });
});

test('never fails over to a node of another chain', async () => {
  const first = await standIn();
  const foreign = await standIn('cd'.repeat(32));
  const third = await standIn();
  const list = keep(
    new NodeList(
      [first, foreign, third].map((node) => address(node)),
      { chain: CHAIN },
    ),
  );
  await list.info();
  await first.close();
  await list.info();
  expect(list.nodes().map(({ isInUse, failure }) => [isInUse, failure !== undefined])).toEqual([
    [false, true],
    [false, true],
    [true, false],
  ]);
});

test('connects to a local socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-client-'));
  const path = join(folder, 'node.sock');
  const server: Server = createServer((_request, response) => response.end(JSON.stringify(INFO))).listen(path);
  await once(server, 'listening');
  const client = new NodeClient({ host: `ipc://${path}`, port: 0, ssl: false });
  expect(await client.info()).toMatchObject({ localHeight: 10 });
  client.close();
  server.close();
  rmSync(folder, { recursive: true });
});

test('returns immediately when the caller aborts', async () => {
  const node = (await standIn()).on('/info', () => () => undefined);
  const client = keep(new NodeClient(address(node)));
  const controller = new AbortController();
  const call = client.info(controller.signal);
  controller.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
