import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { buildSend, estimateSend, type SendRequest, type SignedSend, sweep } from '@wrkz/wallet-core';
import { other, portsOver, received, receiver, sendsAt, SOME_HEIGHTS } from './support/age-sends';
import { ChainWallet } from './support/chain-wallet';
import { SpendNodeOver } from './support/spend-node';
import { CHAIN_A_HEIGHT, Suite, type SuiteNode } from '../src';

/* Sends of every kind, accepted by the pool of a node and mined; the slow tests have the other heights. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
afterAll(() => suite.stopAll());

test.each(SOME_HEIGHTS)('at height %d', (height) => sendsAt(suite, height));

describe('at the tip', () => {
  let node: SuiteNode;
  beforeAll(async () => {
    node = await suite.node({ from: await suite.chainA() });
  });

  test('sends to several receivers from several sources, with change to another address', async () => {
    const spendNode = new SpendNodeOver(node);
    const dave = new ChainWallet('dave', CHAIN_A_HEIGHT);
    const [primary, second, third] = dave.addresses as [string, string, string];
    const request: SendRequest = {
      destinations: [
        { address: receiver.address, amount: 1_234n },
        { address: other.address, amount: 55n },
        { address: receiver.address, amount: 1n },
        { address: second, amount: 3_000n },
      ],
      sourceAddresses: [primary, third, primary],
      changeAddress: third,
      mixin: 1,
    };
    const estimate = await estimateSend(request, dave.view(node.height), portsOver(spendNode));
    const built = await buildSend(request, dave.view(node.height), portsOver(spendNode));
    expect(built).toMatchObject({ mixin: 1, defaultMixin: 7, fee: estimate.fee });
    await dave.send(built, spendNode);
    expect(received(receiver, built).amount).toBe(1_235n);
    expect(received(other, built).amount).toBe(55n);
    const keys = dave.view(node.height).subWallets.map(({ publicSpendKey }) => publicSpendKey);
    const own = (key: string | undefined): bigint =>
      built.pending.ownOutputs.reduce((sum, out) => (out.publicSpendKey === key ? sum + out.amount : sum), 0n);
    expect(own(keys[1])).toBe(3_000n);
    expect(own(keys[0])).toBe(0n);
    expect(built.pending.inputs.every(({ publicSpendKey }) => publicSpendKey !== keys[1])).toBe(true);
  });

  test('records a send whose response was lost', async () => {
    const spendNode = new SpendNodeOver(node);
    spendNode.losesAnswers = true;
    const wallet = new ChainWallet('erin', CHAIN_A_HEIGHT);
    const request = { destinations: [{ address: receiver.address, amount: 1_000n }], mixin: 1 };
    const built = await buildSend(request, wallet.view(node.height), portsOver(spendNode));
    await wallet.send(built, spendNode);
    expect(wallet.holds(built.hash)).toBe(true);
    expect(node.pool()).toContain(built.hash);
  });

  test('reports and reverts a send that is rejected because the chain has spent an input in between', async () => {
    const spendNode = new SpendNodeOver(node);
    const frank = new ChainWallet('frank', CHAIN_A_HEIGHT);
    const request = { destinations: [{ address: receiver.address, amount: 1_000n }], mixin: 1 };
    const [one, two] = [
      await buildSend(request, frank.view(node.height), portsOver(spendNode)),
      await buildSend(
        { ...request, fee: { kind: 'fixed', amount: 777n } },
        frank.view(node.height),
        portsOver(spendNode),
      ),
    ];
    await frank.send(one, spendNode);
    await node.generate(other.address);
    await expect(frank.send(two, spendNode)).rejects.toMatchObject({
      code: 31,
      message: 'Transaction contains an input which has already been spent',
    });
    expect(frank.holds(two.hash)).toBe(false);
    expect(frank.holds(one.hash)).toBe(true);
  });

  test('sweeps an amount, then the rest', async () => {
    const spendNode = new SpendNodeOver(node);
    const wallet = new ChainWallet('carol', CHAIN_A_HEIGHT);
    const sent: SignedSend[] = [];
    const dispatch = (built: SignedSend): Promise<void> => {
      sent.push(built);
      return wallet.send(built, spendNode);
    };
    const read = () => wallet.view(node.height);
    const amount = 1_234_567n;
    const exact = await sweep({ destination: receiver.address, amount }, read, portsOver(spendNode), dispatch);
    expect(exact).toMatchObject({ paid: amount, unpaid: 0n });
    expect(sent.reduce((sum, built) => sum + received(receiver, built).amount, 0n)).toBe(amount);
    const rest = await sweep({ destination: other.address }, read, portsOver(spendNode), dispatch);
    const hashes = [...exact.entries, ...rest.entries].flatMap((entry) =>
      entry.success ? [entry.transactionHash] : [],
    );
    expect(hashes.length).toBeGreaterThan(1);
    await node.generate(other.address, 2);
    expect((await node.status(hashes)).transactionsInBlock.toSorted()).toEqual(hashes.toSorted());
  });
});
