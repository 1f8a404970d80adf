import { PASSWORD } from './support/service';
import { turtleClient } from './support/turtlecoin';
import { addressOf, World } from './support/world';

const world = new World();

afterAll(() => world.stopAll());

test('the client library of older integrations creates addresses, reads balances, sends, delays and lists', async () => {
  const node = await world.node();
  const service = await world.synced('alice', node.daemon.ports.rpc);
  const client = turtleClient(service.rpc.port, PASSWORD);
  const own = addressOf('alice');
  expect(await client.getBalance()).toEqual({ availableBalance: 2_290_330.01, lockedAmount: 42_535.1 });

  const created = await client.createAddress();
  expect(await client.getAddresses()).toEqual([own, created]);
  expect(await client.getBalance({ address: created })).toEqual({ availableBalance: 0, lockedAmount: 0 });

  const transfers = [client.newTransfer(created, 12.5)];
  const options = { addresses: [own], transfers, changeAddress: own, fee: 10, mixin: 1 };
  const sent = await client.sendTransaction(options);
  const hash = typeof sent === 'string' ? sent : sent.transactionHash;
  expect(node.pool()).toEqual([hash]);

  const { transactionHash } = await client._postToWalletd<{ transactionHash: string }>(
    // The method of the library fails before it sends a request.
    'createDelayedTransaction',
    { transfers: [client.newTransfer(created, 1)], addresses: [own], changeAddress: own, fee: 1_000, anonymity: 1 },
  );
  expect(await client.getDelayedTransactionHashes()).toEqual({ transactionHashes: [transactionHash] });
  await client.sendDelayedTransaction({ transactionHash });
  expect(node.pool()).toEqual([hash, transactionHash].sort());

  await node.generate(addressOf('frank'));
  await service.synced(node.height);
  expect((await client.getStatus()).blockCount).toBe(node.height + 1);
  const items = await client.getTransactions({ firstBlockIndex: node.height, blockCount: 1 });
  // An entry for each transfer.
  expect([...new Set(items.map((entry) => entry.transactionHash))].sort()).toEqual([hash, transactionHash].sort());
  expect(await client.getTransaction({ transactionHash: hash })).toMatchObject({ transactionHash: hash, amount: -10 });
  expect(await client.getBalance({ address: created })).toEqual({ availableBalance: 0, lockedAmount: 13.5 });
});
