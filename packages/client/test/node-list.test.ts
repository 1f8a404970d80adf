import { StandInNode } from '@wrkz/testing';
import { NodeList } from '../src';

const GENESIS = 'ab'.repeat(32);
const CHAIN = { genesisHash: GENESIS, knownBlocks: [], foreignBlocks: [] };
const MINUTE = 60_000;
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** A node with heights and a health that tests change. */
class Stand {
  height = 100;
  network = 100;
  isWell = true;
  /** Whether only `/info` works. */
  isHollow = false;

  private constructor(readonly node: StandInNode) {}

  static async start(genesis = GENESIS): Promise<Stand> {
    const node = await StandInNode.start();
    open.push(node);
    const stand = new Stand(node);
    const header = { hash: genesis, height: 0, orphan_status: false };
    node
      .on('/json_rpc', () => (stand.isWell ? { json: { result: { block_header: header, status: 'OK' } } } : cut))
      .on('/get_transactions_status', () =>
        stand.isWell && !stand.isHollow
          ? { json: { transactionsInBlock: [], transactionsInPool: [], transactionsUnknown: [], status: 'OK' } }
          : { status: 500 },
      )
      .on('/info', () =>
        stand.isWell
          ? {
              json: {
                ...{ height: stand.height + 1, network_height: stand.network + 1, difficulty: 1, status: 'OK' },
                ...{ incoming_connections_count: 1, outgoing_connections_count: 1 },
              },
            }
          : cut,
      );
    return stand;
  }
}

const cut = (response: { destroy(): unknown }): void => void response.destroy();

async function listOf(
  ...stands: Stand[]
): Promise<{ list: NodeList; clock: { now: number }; serves: () => number; switches: string[] }> {
  const clock = { now: 0 };
  const addresses = stands.map(({ node }) => ({ host: '127.0.0.1', port: node.port, ssl: false }));
  const list = new NodeList(addresses, { chain: CHAIN, now: () => clock.now });
  open.push(list);
  const switches: string[] = [];
  list.on('switched', ({ reason }) => switches.push(reason));
  return { list, clock, switches, serves: () => list.nodes().findIndex(({ isInUse }) => isInUse) };
}

test('replaces a first node that synchronizes, and returns once it has caught up', async () => {
  const [first, second] = [await Stand.start(), await Stand.start()];
  first.height = 20;
  const { list, clock, serves, switches } = await listOf(first, second);
  expect(await list.info()).toMatchObject({ localHeight: 100 });
  expect(serves()).toBe(1);
  clock.now += MINUTE;
  await list.info();
  expect(serves()).toBe(1);
  first.height = 97;
  clock.now += MINUTE;
  expect(await list.info()).toMatchObject({ localHeight: 97 });
  expect(serves()).toBe(0);
  expect(switches).toEqual(['it is still catching up', 'it responds again']);
});

test('uses the first node when all are catching up, and prefers a late node to a failing one', async () => {
  const [first, second] = [await Stand.start(), await Stand.start()];
  first.height = 20;
  second.height = 10;
  const { list, clock, serves } = await listOf(first, second);
  for (let i = 0; i < 3; i++, clock.now += MINUTE) await list.info();
  expect(serves()).toBe(0);
  first.isWell = false;
  await list.info();
  expect(serves()).toBe(1);
});

test('retains a node below the network height when no other node is higher', async () => {
  const [first, second] = [await Stand.start(), await Stand.start('cd'.repeat(32))];
  first.network = 1_000_000;
  second.height = second.network = 1_000_000;
  const { list, serves } = await listOf(first, second);
  await list.info();
  expect(serves()).toBe(0);
  expect(list.nodes()[1]?.failure).toMatch(/first block is not that of this network/);
});

test('leaves a node on which only /info works, although /info is requested in between', async () => {
  const [hollow, other] = [await Stand.start(), await Stand.start()];
  const { list, serves } = await listOf(hollow, other);
  hollow.isHollow = true;
  await expect(list.transactionPlaces([])).rejects.toMatchObject({ kind: 'failed' });
  await list.info();
  expect(serves()).toBe(0);
  await expect(list.transactionPlaces([])).rejects.toMatchObject({ kind: 'failed' });
  expect(serves()).toBe(1);
});

test('doubles the delay after each failure of a node, up to 32 minutes', async () => {
  const [first, second] = [await Stand.start(), await Stand.start()];
  const { list, clock, serves, switches } = await listOf(first, second);
  first.isHollow = true;
  const request = (): Promise<unknown> => list.transactionPlaces([]).catch(() => undefined);
  const returns: number[] = [];
  await list.info();
  await request();
  await request();
  expect(serves()).toBe(1);
  for (let minute = 1; minute <= 100; minute++) {
    clock.now += MINUTE;
    await list.info();
    if (serves() !== 0) continue;
    returns.push(minute);
    await request();
    await request();
    expect(serves()).toBe(1);
  }
  expect(returns).toEqual([1, 3, 7, 15, 31, 63, 95]);
  expect(switches).toHaveLength(15);
  // A node that remains healthy is used again, and its backoff is reset.
  first.isHollow = false;
  clock.now += 60 * MINUTE;
  await list.info();
  expect(serves()).toBe(0);
  clock.now += 11 * MINUTE;
  first.isWell = false;
  await list.info();
  expect(serves()).toBe(1);
  first.isWell = true;
  clock.now += MINUTE;
  await list.info();
  expect(serves()).toBe(0);
});

test('reports the failure of the first node while none responds, and uses the first that recovers', async () => {
  const stands = [await Stand.start(), await Stand.start(), await Stand.start()];
  const { list, serves } = await listOf(...stands);
  for (const stand of stands) stand.isWell = false;
  await expect(list.info()).rejects.toMatchObject({ kind: 'unreachable' });
  await expect(list.info()).rejects.toMatchObject({ kind: 'unreachable' });
  expect(list.nodes().every(({ failure }) => failure !== undefined)).toBe(true);
  (stands[2] as Stand).isWell = true;
  await list.info();
  expect(serves()).toBe(2);
});
