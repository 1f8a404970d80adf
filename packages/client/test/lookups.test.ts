import { StandInNode } from '@wrkz/testing';
import { NodeClient, NodeFailure, NodeList } from '../src';

const HASH = 'ab'.repeat(32);
const TAIL = 'cd'.repeat(32);
const IMAGE = 'ef'.repeat(32);
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function nodeAnswering(path: string, json: unknown): Promise<{ node: StandInNode; client: NodeClient }> {
  const node = (await StandInNode.start()).on(path, () => (typeof json === 'string' ? { text: json } : { json }));
  const client = new NodeClient({ host: '127.0.0.1', port: node.port, ssl: false });
  open.push(node, client);
  return { node, client };
}

/** A pool transaction as nodes return it, with upper-case hex. */
const pooled = (more = ''): string =>
  `{"transactionPrefixInfo.txHash":"${HASH.toUpperCase()}","transactionPrefixInfo.txPrefix":{"version":1,` +
  `"unlock_time":18446744073709551615,"extra":"01FF",` +
  `"vin":[{"type":"02","value":{"amount":18446744073709551615,"key_offsets":[1],"k_image":"${IMAGE.toUpperCase()}"}}],` +
  `"vout":[{"amount":5,"target":{"type":"02","data":{"key":"${TAIL.toUpperCase()}"}}}]${more}}}`;

const poolAnswer = (added: string, deleted = '[]'): string =>
  `{"addedTxs":[${added}],"deletedTxsIds":${deleted},"isTailBlockActual":true,"status":"OK"}`;

test('fetches raw blocks from a height on', async () => {
  const items = [
    { block: '0102', transactions: ['FF', ''] },
    { block: '03', transactions: [], globalIndexes: [[5, 0]] },
  ];
  const { node, client } = await nodeAnswering('/getrawblocks', { items, synced: false, topBlock: null, status: 'OK' });
  expect(await client.rawBlocks(7, 2)).toEqual([
    { block: Buffer.of(1, 2), transactions: [Buffer.of(255), Buffer.alloc(0)] },
    { block: Buffer.of(3), transactions: [], globalIndexes: [[5, 0]] },
  ]);
  expect(node.requests[0]?.body).toEqual({
    ...{ startHeight: 7, startTimestamp: 0, blockCount: 2, skipCoinbaseTransactions: false, globalIndexes: true },
  });
});

test('reads the changes of the pool, in lower case and with exact amounts', async () => {
  const { node, client } = await nodeAnswering(
    '/get_pool_changes_lite',
    poolAnswer(pooled(), `["${TAIL.toUpperCase()}"]`),
  );
  expect(await client.poolChanges(TAIL, [IMAGE])).toEqual({
    added: [
      {
        hash: HASH,
        extra: Buffer.of(1, 255),
        unlockTime: 2n ** 64n - 1n,
        inputs: [{ keyImage: IMAGE, amount: 2n ** 64n - 1n }],
        outputs: [{ amount: 5n, key: TAIL }],
      },
    ],
    deleted: [TAIL],
  });
  expect(node.requests[0]?.body).toEqual({ tailBlockId: TAIL, knownTxsIds: [IMAGE] });
});

test.each([
  ['/getrawblocks', '{"items":[{"block":5,"transactions":[]}],"status":"OK"}'],
  ['/getrawblocks', '{"items":{},"status":"OK"}'],
  ['/getrawblocks', '{"items":[{"block":"00","transactions":[null]}],"status":"OK"}'],
  ['/get_pool_changes_lite', '{"addedTxs":[{}],"deletedTxsIds":[],"status":"OK"}'],
  ['/get_pool_changes_lite', poolAnswer('', '[1]')],
  ['/get_pool_changes_lite', poolAnswer(pooled().replace('"amount":5', '"amount":-5'))],
  ['/get_pool_changes_lite', poolAnswer(pooled().replace('"amount":5', '"amount":18446744073709551616'))],
])('rejects a response of %s with %s', async (path, text) => {
  const { client } = await nodeAnswering(path, text);
  const call = path === '/getrawblocks' ? client.rawBlocks(0, 1) : client.poolChanges(TAIL, []);
  await expect(call).rejects.toThrow(NodeFailure);
  await expect(call).rejects.toMatchObject({ kind: 'malformed' });
});

test('requests blocks from another node when one is unavailable, but not its pool', async () => {
  const responses = { '/getrawblocks': { items: [], status: 'OK' }, '/get_pool_changes_lite': poolAnswer('') };
  const { node: first } = await nodeAnswering('/getrawblocks', responses['/getrawblocks']);
  const { node: second } = await nodeAnswering('/getrawblocks', responses['/getrawblocks']);
  second.on('/get_pool_changes_lite', () => ({ text: responses['/get_pool_changes_lite'] }));
  second.on('/info', () => ({
    json: {
      ...{ height: 11, network_height: 13, difficulty: 10, status: 'OK' },
      ...{ incoming_connections_count: 3, outgoing_connections_count: 2 },
    },
  }));
  const at = ({ port }: StandInNode) => ({ host: '127.0.0.1', port, ssl: false });
  const list = new NodeList([at(first), at(second)]);
  open.push(list);
  await first.close();
  await expect(list.poolChanges(TAIL, [])).rejects.toMatchObject({ kind: 'unreachable' });
  expect(second.requestsTo('/get_pool_changes_lite')).toEqual([]);
  expect(await list.rawBlocks(0, 1)).toEqual([]);
  expect(await list.poolChanges(TAIL, [])).toEqual({ added: [], deleted: [] });
});
