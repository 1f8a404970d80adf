import { join } from 'node:path';
import { encodeAddress, networkOf, parseExtraWallet, parseTransaction } from '@wrkz/core-types';
import { encryptPaymentId, generateKeyDerivation, generateKeyPair } from '@wrkz/crypto';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import {
  buildSend,
  type BuiltSend,
  DEFAULT_POW_SERVER,
  dispatchSend,
  estimateSend,
  PowClient,
  PreparedSends,
  type SendRequest,
  type SpendPorts,
  sweep,
} from '@wrkz/wallet-core';
import { ChainWallet } from './support/chain-wallet';
import { SpendNodeOver } from './support/spend-node';
import { CHAIN_A_HEIGHT, Purse, Suite, type SuiteNode, writeChainADump } from '../src';

/* Sends of every kind in every age, accepted by the pool of a whole node and mined. */

jest.setTimeout(240_000);

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
afterAll(() => suite.stopAll());

const receiver = new Purse('receiver');
const other = new Purse('other receiver');
const LONG_ID = '0123456789abcdef'.repeat(4);
const SHORT_ID = '1122334455667788';
const integrated = (paymentId: string): string =>
  encodeAddress({ spendPublic: receiver.spendPublic, viewPublic: receiver.viewPublic, paymentId });
const now = (): number => Math.floor(Date.now() / 1000);

/** A node that holds chain A up to a block. */
async function nodeAt(height: number): Promise<SuiteNode> {
  const dataDir = suite.folder();
  const dump = join(suite.folder(), 'part.dump');
  writeChainADump(dump, height + 1);
  expect(await suite.run(dataDir, ['--import-blockchain', '--dump-file', dump])).toBe(0);
  return suite.node({ from: dataDir });
}

const portsOver = (node: SpendNodeOver): SpendPorts => ({
  node,
  pow: new PowClient(DEFAULT_POW_SERVER),
  transactionKeys: generateKeyPair,
  now,
});

/** What a receiver finds, and the payment id it reads. */
function received(purse: Purse, { bytes }: BuiltSend): { amount: bigint; paymentId: string } {
  const { transaction } = parseTransaction(bytes);
  const raw = { block: networkOf('devnet').genesis.block, transactions: [bytes] };
  const places = [[0, 1, 2], transaction.outputs.map((_, i) => i)];
  const amount = purse.find(raw, 0, places).reduce((sum, output) => sum + output.amount, 0n);
  const { publicKey, paymentId } = parseExtraWallet(transaction.extra);
  if (paymentId.length !== 16) return { amount, paymentId };
  const derivation = generateKeyDerivation(publicKey, purse.viewSecret) ?? Buffer.alloc(32);
  return { amount, paymentId: encryptPaymentId(Buffer.from(paymentId, 'hex'), derivation).toString('hex') };
}

/** What a send is asked to be; the amounts fit the wallets of every age. */
const KINDS: [string, (height: number) => Partial<SendRequest>, string][] = [
  ['basic', () => ({}), ''],
  ['long payment id', () => ({ paymentId: LONG_ID }), LONG_ID],
  ['short payment id', () => ({ paymentId: SHORT_ID }), SHORT_ID],
  ['integrated', () => ({ destinations: [{ address: integrated(SHORT_ID), amount: 12_345n }] }), SHORT_ID],
  ['free data', () => ({ extra: 'ab'.repeat(200), paymentId: LONG_ID }), LONG_ID],
  ['fixed fee', () => ({ fee: { kind: 'fixed', amount: 60_000n } }), ''],
  ['fee per byte', () => ({ fee: { kind: 'perByte', rate: 1.5 } }), ''],
  ['unlock time', (height) => ({ unlockTime: BigInt(height) + 100n }), ''],
  ['unlock date', () => ({ unlockTime: 4_000_000_000n }), ''],
];

/** Around the changes of rules that sends look at, and the tip. */
const HEIGHTS = [45, 53, 55, 64, 66, 68, 84, 99, 101, 113, 149, 429, 431, 720];

test.each(HEIGHTS)('at height %d', async (height) => {
  const node = await nodeAt(height);
  const spendNode = new SpendNodeOver(node);
  const wallet = ChainWallet.richest(height);
  const sent: string[] = [];
  // The next kinds in the list at each height, so that all of them meet young and old rules.
  const first = HEIGHTS.indexOf(height) * 3;
  for (const place of [first, first + 1, first + 2]) {
    const [name, make, paymentId] = KINDS[place % KINDS.length]!;
    const request = { destinations: [{ address: receiver.address, amount: 12_345n }], ...make(height) };
    const view = wallet.view(node.height);
    const built = await buildSend(request, view, portsOver(spendNode)).catch((error: unknown) => {
      throw new Error(`${name}: ${String(error)}`, { cause: error });
    });
    await dispatchSend(built, wallet, spendNode);
    expect([name, received(receiver, built)]).toEqual([name, { amount: 12_345n, paymentId }]);
    sent.push(built.hash);
  }
  expect((await node.status(sent)).transactionsInPool.toSorted()).toEqual(sent.toSorted());
  await node.generate(other.address);
  expect((await node.status(sent)).transactionsInBlock.toSorted()).toEqual(sent.toSorted());
  await node.stop();
});

describe('at the tip', () => {
  let node: SuiteNode;
  beforeAll(async () => {
    node = await suite.node({ from: await suite.chainA() });
  });

  test('several receivers, several sources, change elsewhere', async () => {
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
    await dispatchSend(built, dave, spendNode);
    expect(received(receiver, built).amount).toBe(1_235n);
    expect(received(other, built).amount).toBe(55n);
    const keys = dave.view(node.height).subWallets.map(({ publicSpendKey }) => publicSpendKey);
    const own = (key: string | undefined): bigint =>
      built.intent.ownOutputs.reduce((sum, out) => (out.publicSpendKey === key ? sum + out.amount : sum), 0n);
    expect(own(keys[1])).toBe(3_000n);
    expect(own(keys[0])).toBe(0n);
    expect(built.intent.inputs.every(({ publicSpendKey }) => publicSpendKey !== keys[1])).toBe(true);
  });

  test('an answer that is lost on its way back: the node has it, and so has the wallet', async () => {
    const spendNode = new SpendNodeOver(node);
    spendNode.losesAnswers = true;
    const wallet = new ChainWallet('erin', CHAIN_A_HEIGHT);
    const request = { destinations: [{ address: receiver.address, amount: 1_000n }], mixin: 1 };
    const built = await buildSend(request, wallet.view(node.height), portsOver(spendNode));
    await dispatchSend(built, wallet, spendNode);
    expect(wallet.holds(built.hash)).toBe(true);
    expect(node.pool()).toContain(built.hash);
  });

  test('an input that the chain has spent meanwhile: the refusal is told and taken back', async () => {
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
    await dispatchSend(one, frank, spendNode);
    await node.generate(other.address);
    await expect(dispatchSend(two, frank, spendNode)).rejects.toMatchObject({
      code: 31,
      message: 'Transaction contains an input which has already been spent',
    });
    expect(frank.holds(two.hash)).toBe(false);
    expect(frank.holds(one.hash)).toBe(true);
  });

  test('a prepared transaction goes out when it is told to', async () => {
    const spendNode = new SpendNodeOver(node);
    const wallet = new ChainWallet('grace', CHAIN_A_HEIGHT);
    const prepared = new PreparedSends();
    const request = { destinations: [{ address: receiver.address, amount: 1_000n }], mixin: 1 };
    const built = await buildSend(request, wallet.view(node.height), portsOver(spendNode));
    prepared.add(built);
    expect(node.pool()).not.toContain(built.hash);
    await dispatchSend(prepared.take(built.hash, wallet.view(node.height), now()), wallet, spendNode);
    expect(node.pool()).toContain(built.hash);
  });

  test('a sweep of an amount, then of all the rest', async () => {
    const spendNode = new SpendNodeOver(node);
    const wallet = new ChainWallet('carol', CHAIN_A_HEIGHT);
    const sent: BuiltSend[] = [];
    const dispatch = (built: BuiltSend): Promise<void> => {
      sent.push(built);
      return dispatchSend(built, wallet, spendNode);
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
