import { StandInNode, type SuiteNode } from '@wrkz/testing';
import { PoolWatcher, type PoolWatcherDependencies } from '../src/pool-watcher';
import type { TestService } from './support/service';
import { addressOf, World } from './support/world';

const world = new World();
let node: SuiteNode;
let stand: StandInNode;

beforeAll(async () => {
  node = await world.node();
  stand = world.suite.closeAtEnd(await StandInNode.start(node.url));
});

afterAll(() => world.stopAll());

const TO_BOB = { transfers: [{ address: addressOf('bob'), amount: 1_000 }], anonymity: 1 };
const NEW_KEY = '0'.repeat(63) + '1';

const balance = (service: TestService): Promise<object> => service.result('getBalance');

/** A service that reads the pool on demand, and a send of its keys in the pool that it does not know yet. */
async function withSendInPool(): Promise<{ service: TestService; hash: string }> {
  const service = await world.synced('alice', stand.port, [], { poolMs: 3_600_000 });
  const { transactionHash: hash } = await service.result<{ transactionHash: string }>('sendTransaction', TO_BOB);
  await service.result('reset', { scanHeight: 0 });
  await service.synced(node.height);
  const { pool } = service.rpc.context;
  expect(pool.get(hash)).toBeUndefined();
  await pool.poll();
  expect(pool.get(hash)).toMatchObject({ hash });
  return { service, hash };
}

afterEach(async () => {
  await world.stopServices();
  await node.generate(addressOf('frank'));
});

test('inputs of a pool transaction stay locked when keys are added and after a rescan', async () => {
  const { service, hash } = await withSendInPool();
  const taken = await balance(service);
  await service.result('createAddressList', { spendSecretKeys: [NEW_KEY], newAddress: true });
  expect(await balance(service)).toEqual(taken);
  await service.result('reset', { scanHeight: 0 });
  await service.synced(node.height);
  expect(await balance(service)).toEqual(taken);
  const { transactionHashes } = await service.result<{ transactionHashes: string[] }>(
    'getUnconfirmedTransactionHashes',
  );
  expect(transactionHashes).toEqual([hash]);
});

test('releases a transaction after two pool reads without it', async () => {
  const { service, hash } = await withSendInPool();
  const { pool } = service.rpc.context;
  const locked = async (): Promise<unknown> => ((await balance(service)) as { lockedAmount: unknown }).lockedAmount;
  const before = await locked();
  await service.result('createAddressList', { spendSecretKeys: [NEW_KEY], newAddress: true });
  await service.synced(node.height);
  const requested: unknown[] = [];
  stand.on('/get_pool_changes_lite', ({ body }) => {
    const { knownTxsIds } = body;
    requested.push(knownTxsIds);
    return { json: { addedTxs: [], deletedTxsIds: knownTxsIds, isTailBlockActual: true, status: 'OK' } };
  });
  try {
    for (let reads = 0; reads < 3; reads++) await pool.poll();
  } finally {
    stand.off('/get_pool_changes_lite');
  }
  expect(requested).toEqual([[], [hash], [hash]]);
  expect(pool.get(hash)).toBeUndefined();
  expect(await locked()).not.toEqual(before);
});

test('deleting an address deletes its pool transactions', async () => {
  const { service, hash } = await withSendInPool();
  await service.result('deleteAddress', { address: addressOf('alice') });
  expect(service.rpc.context.pool.get(hash)).toBeUndefined();
});

test('a node that continually reports new transactions does not exhaust the memory', async () => {
  const content = { subWallets: [], progress: { recentHashes: ['ab'] } };
  const snapshot = { content, unconfirmed: () => [], transaction: () => undefined };
  const sizes: number[] = [];
  const pool = new PoolWatcher({
    wallet: { syncStatus: { isAtTip: true }, snapshot },
    nodes: {
      poolChanges: (_tail: string, known: readonly string[]) => {
        sizes.push(known.length);
        const added = Array.from({ length: 6_000 }, (_, i) => ({ hash: `${String(sizes.length)} ${String(i)}` }));
        return Promise.resolve({ added, deleted: [] });
      },
    },
  } as unknown as PoolWatcherDependencies);
  for (let looks = 0; looks < 40; looks++) await pool.poll();
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100_000);
});
