import { once } from 'node:events';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { chainAWallet, Suite, TestNodeClient } from '@wrkz/testing';
import { FakeLedger } from './support/fake-ledger';
import { keysOf, nodeAt, SyncedWallet } from './support/wallets';

/* A daemon with `/ws`; the clock of the wallet is stopped, so polling cannot find the blocks. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));

afterAll(() => suite.stopAll());

test('applies blocks as a daemon publishes them, without polling', async () => {
  const node = await suite.node({ args: ['--enable-websocket'] });
  const miner = new TestNodeClient(node.url);
  const client = nodeAt(node.daemon.ports.rpc);
  const wallet = new SyncedWallet(new FakeLedger(keysOf('alice')), client);
  try {
    const { address } = chainAWallet('alice');
    await miner.generate(address, 3);
    await wallet.until(() => wallet.sync.status.isAtTip && wallet.sync.status.isFollowing);
    for (const height of [4, 5]) {
      const arrived = once(wallet.sync, 'progressed');
      await miner.generate(address, 1);
      await arrived;
      expect(wallet.ledger.position()).toMatchObject({ height, hash: node.tip });
    }
    expect(wallet.ledger.transactions).toHaveLength(5);
  } finally {
    await wallet.sync.stop();
    client.close();
  }
});
