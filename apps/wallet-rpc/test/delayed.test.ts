import { EventEmitter, once } from 'node:events';
import { StandInNode, type SuiteNode } from '@wrkz/testing';
import type { TestService } from './support/service';
import { addressOf, expectedWallet, World } from './support/world';

const world = new World();
let node: SuiteNode;

beforeAll(async () => {
  node = await world.node();
});

// Each test begins with an empty pool.
afterEach(async () => {
  await world.stopServices();
  await node.generate(addressOf('frank'));
});

afterAll(() => world.stopAll());

const TO_BOB = { transfers: [{ address: addressOf('bob'), amount: 1_000 }], anonymity: 1 };

async function delayed(service: TestService, more: object = {}): Promise<string> {
  const { transactionHash } = await service.result<{ transactionHash: string }>('createDelayedTransaction', {
    ...TO_BOB,
    ...more,
  });
  return transactionHash;
}

const waiting = async (service: TestService): Promise<readonly string[]> =>
  (await service.result<{ transactionHashes: string[] }>('getDelayedTransactionHashes')).transactionHashes;

const balance = (service: TestService): Promise<object> => service.result('getBalance');

test('delayed transactions survive a restart with their inputs, and are sent or deleted once', async () => {
  const file = await world.read('alice', node.daemon.ports.rpc);
  let service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(node.height);
  const before = await balance(service);
  const [first, second] = [await delayed(service), await delayed(service)];
  const kept = await balance(service);
  expect(kept).not.toEqual(before);

  await world.stop(service);
  service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(node.height);
  expect(await waiting(service)).toEqual([first, second]);
  expect(await balance(service)).toEqual(kept);
  const { transaction } = await service.result<{ transaction: object }>('getTransaction', { transactionHash: second });
  expect(transaction).toMatchObject({ state: 3n, blockIndex: 4_294_967_295n });

  await service.result('deleteDelayedTransaction', { transactionHash: second });
  await service.result('sendDelayedTransaction', { transactionHash: first });
  expect(node.pool()).toEqual([first]);
  expect(await waiting(service)).toEqual([]);
  for (const [hash, send, remove] of [
    [first, 15n, 12n],
    [second, 15n, 12n],
  ] as const) {
    const sent = await service.call('sendDelayedTransaction', { transactionHash: hash });
    expect(sent.error?.data?.application_code).toBe(send);
    const removed = await service.call('deleteDelayedTransaction', { transactionHash: hash });
    expect(removed.error?.data?.application_code).toBe(remove);
  }
  await node.generate(addressOf('frank'));
  await service.synced(node.height);
  const mined = await service.result<{ transaction: object }>('getTransaction', { transactionHash: first });
  expect(mined.transaction).toMatchObject({ state: 0n, blockIndex: BigInt(node.height) });
});

test('the inputs of a delayed transaction are spent by no other send, also after a rescan', async () => {
  const service = await world.synced('alice', node.daemon.ports.rpc);
  const hash = await delayed(service);
  const kept = await balance(service);
  await service.result('reset', { scanHeight: 0 });
  await service.synced(node.height);
  expect(await balance(service)).toEqual(kept);
  // Sends the rest; the delayed transaction stays valid.
  const { availableBalance } = kept as { availableBalance: bigint };
  const all = { transfers: [{ address: addressOf('bob'), amount: Number(availableBalance / 2n) }], anonymity: 1 };
  await service.result('sendTransaction', all);
  await service.result('sendDelayedTransaction', { transactionHash: hash });
  expect(node.pool()).toHaveLength(2);
});

test('a refusal or an unavailable node leaves a delayed transaction waiting', async () => {
  const stand = world.suite.closeAtEnd(await StandInNode.start(node.url));
  const service = await world.synced('alice', stand.port);
  const hash = await delayed(service);
  stand.on('/sendrawtransaction', () => ({ json: { status: 'Failed', error: 'no' } }));
  expect((await service.call('sendDelayedTransaction', { transactionHash: hash })).error?.message).toBe(
    'Internal node error',
  );
  stand.on('/sendrawtransaction', () => ({ status: 503, json: { status: 'Failed', error: 'away' } }));
  expect((await service.call('sendDelayedTransaction', { transactionHash: hash })).error?.message).toBe(
    "Can't connect to daemon",
  );
  expect(await waiting(service)).toEqual([hash]);
  stand.off('/sendrawtransaction');
  await service.result('sendDelayedTransaction', { transactionHash: hash });
  expect(node.pool()).toEqual([hash]);
});

test('an uncertain transaction can be sent again but not deleted, also after a reset', async () => {
  const stand = world.suite.closeAtEnd(await StandInNode.start(node.url));
  const file = await world.read('alice', stand.port);
  let service = await world.service(file, stand.port);
  await service.synced(node.height);
  const hash = await delayed(service);
  stand.on('/sendrawtransaction', async (_request, behind) => {
    await behind();
    return { status: 502 };
  });
  stand.on('/get_transactions_status', () => ({ status: 500 }));
  expect((await service.call('sendDelayedTransaction', { transactionHash: hash })).error).toBeDefined();
  expect(node.pool()).toEqual([hash]);
  await service.result('reset', { scanHeight: node.height });
  await world.stop(service);
  service = await world.service(file, stand.port);
  // The reset drops the inputs of the transaction from the wallet, which does not mean that a node rejected it.
  expect((await service.call('sendDelayedTransaction', { transactionHash: hash })).error).toBeDefined();
  const removed = await service.call('deleteDelayedTransaction', { transactionHash: hash });
  expect(removed.error?.data?.application_code).toBe(12n);
  expect(await waiting(service)).toEqual([hash]);
  stand.off('/sendrawtransaction').off('/get_transactions_status');
  await service.result('reset', { scanHeight: 0 });
  await service.synced(node.height);
  // The pool watcher finds the transaction. After the watcher drops it, the inputs are still locked.
  const { pool } = service.rpc.context;
  const taken = await balance(service);
  for (let reads = 0; reads < 2; reads++) await pool.poll();
  expect(pool.get(hash)).toBeDefined();
  pool.rescan();
  expect(await balance(service)).toEqual(taken);
  await service.result('sendDelayedTransaction', { transactionHash: hash });
  expect(node.pool()).toEqual([hash]);
  expect(await waiting(service)).toEqual([]);
  // The transaction is in the pool and an own send, but listed once.
  expect(await service.result('getUnconfirmedTransactionHashes')).toEqual({ transactionHashes: [hash] });
});

test('an idempotency key returns its first result, and refuses another request', async () => {
  const file = await world.read('alice', node.daemon.ports.rpc);
  let service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(node.height);
  const send = { ...TO_BOB, idempotencyKey: 'order-1' };
  const five = (method: string, params: object) =>
    Promise.all(Array.from({ length: 5 }, () => service.result<{ transactionHash: string }>(method, params)));
  const [one, ...others] = await five('sendTransaction', send);
  for (const response of others) expect(response).toEqual(one);
  expect(node.pool()).toHaveLength(1);
  await world.stop(service);
  service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(node.height);
  expect(await service.result('sendTransaction', send)).toEqual(one);
  const other = await service.call('sendTransaction', { ...send, anonymity: 2 });
  expect(other.error?.data?.application_code).toBe(1002n);
  const made = { ...TO_BOB, idempotencyKey: 'order-2' };
  const [built, ...same] = await five('createDelayedTransaction', made);
  for (const response of same) expect(response).toEqual(built);
  expect(await waiting(service)).toEqual([built?.transactionHash]);
  const sent = { transactionHash: built?.transactionHash, idempotencyKey: 'order-3' };
  for (const response of await five('sendDelayedTransaction', sent)) expect(response).toEqual({});
  expect(node.pool()).toHaveLength(2);
});

test('deleting an address retains its delayed transactions: a waiting one needs the address again, a submitted one is mined', async () => {
  const stand = world.suite.closeAtEnd(await StandInNode.start(node.url));
  const service = await world.synced('alice', stand.port);
  const [key] = expectedWallet('alice').keys.addresses;
  const address = key?.address;
  const [first, second] = [await delayed(service), await delayed(service)];
  const kept = await balance(service);

  await service.result('deleteAddress', { address });
  expect(await balance(service)).toEqual({ availableBalance: 0n, lockedAmount: 0n });
  const refused = await service.call('sendDelayedTransaction', { transactionHash: first });
  expect(refused.error?.message).toBe('Internal node error');
  expect(await waiting(service)).toEqual([first, second]);
  await service.result('createAddress', { spendSecretKey: key?.privateSpendKey, scanHeight: 0 });
  await service.synced(node.height);
  expect(await balance(service)).toEqual(kept);
  await service.result('sendDelayedTransaction', { transactionHash: first });

  const gate = new EventEmitter();
  const submitting = new Promise<void>((resolve) => {
    stand.on('/sendrawtransaction', async (_request, behind) => {
      resolve();
      await once(gate, 'on');
      return behind();
    });
  });
  const sent = service.call('sendDelayedTransaction', { transactionHash: second });
  await submitting;
  const deleted = service.call('deleteAddress', { address });
  expect((await service.call('deleteDelayedTransaction', { transactionHash: second })).error?.data).toEqual({
    application_code: 12n,
  });
  gate.emit('on');
  expect([(await sent).result, (await deleted).result]).toEqual([{}, {}]);
  expect(node.pool().sort()).toEqual([first, second].sort());
  // The node has it, although this container no longer does.
  const listed = await service.result('getTransaction', { transactionHash: second });
  expect([listed['transaction'], await waiting(service)]).toMatchObject([{ state: 0n }, []]);
});
