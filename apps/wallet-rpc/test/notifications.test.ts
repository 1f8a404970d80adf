import { CHAIN_A_HEIGHT, StandInNode, type SuiteNode } from '@wrkz/testing';
import { NotifiedStage } from '@wrkz/wallet-core';
import { exercises } from './support/exercises';
import { Receiver } from './support/receiver';
import type { TestService } from './support/service';
import { addressOf, World } from './support/world';

exercises('tx-notify', 'tx-confirmed-notify', 'notify-during-sync', 'notify-secret-file');

const world = new World();
const receivers: Receiver[] = [];

async function receiver(): Promise<Receiver> {
  const made = await Receiver.start();
  receivers.push(made);
  return made;
}

afterEach(() => world.stopServices());

afterAll(async () => {
  await world.stopAll();
  for (const one of receivers) await one.close();
});

const hooks = (tx: Receiver, confirmed: Receiver): string[] => [
  '--tx-notify',
  tx.url,
  '--tx-confirmed-notify',
  confirmed.url,
];

/** Address of no wallet of the tests, to mine to. */
const MINER = addressOf('frank');

async function pay(from: TestService, to: string, amount: number, more: object = {}): Promise<string> {
  const { transactionHash } = await from.result<{ transactionHash: string }>('sendTransaction', {
    transfers: [{ address: to, amount }],
    anonymity: 1,
    ...more,
  });
  return transactionHash;
}

async function mine(node: SuiteNode, services: readonly TestService[], count = 1): Promise<void> {
  await node.generate(MINER, count);
  for (const service of services) await service.synced(node.height);
}

test('notifies about a transaction once in the pool and once in a block, about own sends after their submission', async () => {
  const { node, rival, link } = await world.rivals();
  const [tx, confirmed, ownTx, ownConfirmed] = [await receiver(), await receiver(), await receiver(), await receiver()];
  const sender = await world.synced('alice', node.daemon.ports.rpc, hooks(ownTx, ownConfirmed));
  const payee = await world.synced('bob', node.daemon.ports.rpc, hooks(tx, confirmed));
  // The rival does not receive it.
  link.cut();
  await rival.untilConnections(0);
  const paymentId = 'ab'.repeat(32);
  const hash = await pay(sender, addressOf('bob'), 12_345, { paymentId });

  const [fromPool] = await tx.until(1);
  expect(fromPool).toMatchObject({
    event: 'tx',
    hash,
    height: 0,
    amount: 12_345,
    paymentId,
    confirmed: false,
    timestamp: 0,
  });
  expect(fromPool?.unlockTime).toBeGreaterThan(CHAIN_A_HEIGHT);
  expect(Object.keys(fromPool ?? {})).toEqual([
    ...['event', 'hash', 'height', 'amount', 'fee', 'paymentId', 'confirmed', 'timestamp', 'unlockTime'],
  ]);
  const [own] = await ownTx.until(1);
  expect(own).toMatchObject({ event: 'tx', hash, height: 0, amount: -12_345 - (own?.fee ?? 0), confirmed: false });
  const { lockedAmount } = await payee.result('getBalance');
  expect(lockedAmount).toBe(34_062_701n + 12_345n);
  expect(await payee.result('getUnconfirmedTransactionHashes')).toEqual({ transactionHashes: [hash] });
  const { transaction } = await payee.result<{ transaction: object }>('getTransaction', { transactionHash: hash });
  expect(transaction).toMatchObject({ state: 0n, blockIndex: 4_294_967_295n, amount: 12_345n, paymentId });

  await mine(node, [sender, payee]);
  for (const each of [confirmed, ownConfirmed]) {
    const [mined] = await each.until(1);
    expect(mined).toMatchObject({ event: 'tx_confirmed', hash, height: CHAIN_A_HEIGHT + 1, confirmed: true });
  }

  // Reorganised away into the pool, and mined again.
  await rival.generate(MINER, 3);
  link.join();
  await node.untilTip(rival.tip);
  await mine(node, [sender, payee], 2);
  const again = await payee.result<{ transaction: { blockIndex: bigint } }>('getTransaction', {
    transactionHash: hash,
  });
  expect(again.transaction.blockIndex).toBeGreaterThan(CHAIN_A_HEIGHT + 1);

  // The next notification is of the next transaction: none was repeated.
  const second = await pay(sender, addressOf('bob'), 777);
  await tx.until(2);
  await mine(node, [sender, payee]);
  await confirmed.until(2);
  await ownConfirmed.until(2);
  for (const each of [tx, confirmed, ownTx, ownConfirmed]) {
    expect(each.received.map((notification) => notification.hash)).toEqual([hash, second]);
  }
});

test('an accepted send succeeds on a full disk, and is notified when space is available', async () => {
  const node = await world.node();
  const [tx, confirmed] = [await receiver(), await receiver()];
  const sender = await world.synced('alice', node.daemon.ports.rpc, hooks(tx, confirmed));
  const { notified } = sender.rpc.context.wallet.db;
  const full = jest.spyOn(notified, 'advance').mockImplementation(() => {
    throw new Error('database or disk is full');
  });
  const hash = await pay(sender, addressOf('bob'), 4_321);
  await mine(node, [sender]);
  expect(full).toHaveBeenCalledWith([hash], NotifiedStage.confirmed);
  full.mockRestore();
  await mine(node, [sender]);
  const [mined] = await confirmed.until(1);
  expect(mined).toMatchObject({ event: 'tx_confirmed', hash, height: CHAIN_A_HEIGHT + 1 });
});

test('after a restart only new transactions are notified', async () => {
  const node = await world.node();
  const [tx, confirmed] = [await receiver(), await receiver()];
  const sender = await world.synced('alice', node.daemon.ports.rpc);
  const file = await world.read('bob', node.daemon.ports.rpc);
  const args = [...hooks(tx, confirmed), '--notify-secret-file', ''];
  const first = await world.service(file, node.daemon.ports.rpc, args);
  await first.synced(CHAIN_A_HEIGHT);
  const hash = await pay(sender, addressOf('bob'), 1_111);
  await tx.until(1);
  await world.stop(first);
  await mine(node, [sender]);
  const second = await world.service(file, node.daemon.ports.rpc, args);
  await second.synced(node.height);
  await confirmed.until(1);
  const next = await pay(sender, addressOf('bob'), 2_222);
  await tx.until(2);
  expect(tx.received.map((notification) => notification.hash)).toEqual([hash, next]);
  expect(confirmed.received.map((notification) => notification.hash)).toEqual([hash]);
});

test('a hanging receiver delays neither other receivers nor the wallet', async () => {
  const node = await world.node();
  const [tx, confirmed] = [await receiver(), await receiver()];
  tx.hangs = true;
  const service = await world.synced('alice', node.daemon.ports.rpc, hooks(tx, confirmed));
  for (let i = 0; i < 3; i++) await pay(service, addressOf('bob'), 1_000 + i);
  await mine(node, [service]);
  await confirmed.until(3);
  expect(tx.received).toHaveLength(1);
  expect((await service.result<{ blockCount: bigint }>('getStatus')).blockCount).toBe(BigInt(node.height + 1));
});

test('notifies about old transactions only with --notify-during-sync', async () => {
  const node = await world.node();
  const stand = world.suite.closeAtEnd(await StandInNode.start(node.url));
  // The claimed network height makes all of chain A older than 1,440 blocks.
  stand.on('/info', async (_request, behind) => {
    const { json } = await behind();
    return { json: { ...json, network_height: 5_000 } };
  });
  const [silent, reported] = [await receiver(), await receiver()];
  const scanHeight = 600;
  const quiet = await world.service(await world.container('erin', scanHeight), stand.port, hooks(silent, silent));
  await quiet.synced(CHAIN_A_HEIGHT);
  const service = await world.service(await world.container('erin', scanHeight), stand.port, [
    ...['--tx-notify', reported.url, '--notify-during-sync'],
  ]);
  await service.synced(CHAIN_A_HEIGHT);
  const { transactions } = service.rpc.context.wallet.snapshot.content;
  expect(transactions.length).toBeGreaterThan(10);
  await reported.until(transactions.length);
  expect(reported.received.map(({ hash }) => hash)).toEqual(transactions.map(({ hash }) => hash));
  expect(silent.received).toEqual([]);
});
