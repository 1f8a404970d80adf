import { join } from 'node:path';
import { encodeAddress, networkOf, parseExtraWallet, parseTransaction } from '@wrkz/core-types';
import { encryptPaymentId, generateKeyDerivation, generateKeyPair } from '@wrkz/crypto';
import {
  buildSend,
  DEFAULT_POW_SERVER,
  PowClient,
  type SendRequest,
  type SendPorts,
  type SignedSend,
} from '@wrkz/wallet-core';
import { TestWallet, type Suite, type SuiteNode, writeChainADump } from '../../src';
import { ChainWallet } from './chain-wallet';
import { SpendNodeOver } from './spend-node';

/* Sends of every kind under the rules of every height: three kinds per height, accepted by the pool of a node and mined. */

export const receiver = new TestWallet('receiver');
export const other = new TestWallet('other receiver');
const LONG_ID = '0123456789abcdef'.repeat(4);
const SHORT_ID = '1122334455667788';
const integrated = (paymentId: string): string =>
  encodeAddress({ spendPublic: receiver.spendPublic, viewPublic: receiver.viewPublic, paymentId });
const now = (): number => Math.floor(Date.now() / 1000);

/** A node with chain A up to a block. */
async function nodeAt(suite: Suite, height: number): Promise<SuiteNode> {
  const dataDir = suite.folder();
  const dump = join(suite.folder(), 'part.dump');
  writeChainADump(dump, height + 1);
  expect(await suite.run(dataDir, ['--import-blockchain', '--dump-file', dump])).toBe(0);
  return suite.node({ from: dataDir });
}

export const portsOver = (node: SpendNodeOver): SendPorts => ({
  node,
  pow: new PowClient(DEFAULT_POW_SERVER),
  transactionKeys: generateKeyPair,
  now,
});

/** The amount and the payment id that a receiver reads. */
export function received(payee: TestWallet, { bytes }: SignedSend): { amount: bigint; paymentId: string } {
  const { transaction } = parseTransaction(bytes);
  const raw = { block: networkOf('devnet').genesis.block, transactions: [bytes] };
  const places = [[0, 1, 2], transaction.outputs.map((_, i) => i)];
  const amount = payee.find(raw, 0, places).reduce((sum, output) => sum + output.amount, 0n);
  const { publicKey, paymentId } = parseExtraWallet(transaction.extra);
  if (paymentId.length !== 16) return { amount, paymentId };
  const derivation = generateKeyDerivation(publicKey, payee.viewSecret) ?? Buffer.alloc(32);
  return { amount, paymentId: encryptPaymentId(Buffer.from(paymentId, 'hex'), derivation).toString('hex') };
}

/** The kinds of sends. The wallets have enough money for the amounts at every height. */
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

/** Heights around the changes of rules that affect sends, and the tip. */
const HEIGHTS = [45, 53, 55, 64, 66, 68, 84, 99, 101, 113, 149, 429, 431, 720];

/** Heights for a short run, under different rules. Other tests send at the tip. */
export const SOME_HEIGHTS = [66, 149, 431];
export const OTHER_HEIGHTS = HEIGHTS.filter((height) => !SOME_HEIGHTS.includes(height));

/** Makes three kinds of sends, mined in the block after this height. Over all heights each kind is made several times. */
export async function sendsAt(suite: Suite, height: number): Promise<void> {
  const node = await nodeAt(suite, height);
  const spendNode = new SpendNodeOver(node);
  const wallet = ChainWallet.richest(height);
  const sent: string[] = [];
  // Each height takes the next kinds of the list, so that all kinds are made under old and new rules.
  const first = HEIGHTS.indexOf(height) * 3;
  for (const place of [first, first + 1, first + 2]) {
    const [name, make, paymentId] = KINDS[place % KINDS.length]!;
    const request = { destinations: [{ address: receiver.address, amount: 12_345n }], ...make(height) };
    const view = wallet.view(node.height);
    const built = await buildSend(request, view, portsOver(spendNode)).catch((error: unknown) => {
      throw new Error(`${name}: ${String(error)}`, { cause: error });
    });
    await wallet.send(built, spendNode);
    expect([name, received(receiver, built)]).toEqual([name, { amount: 12_345n, paymentId }]);
    sent.push(built.hash);
  }
  expect((await node.status(sent)).transactionsInPool.toSorted()).toEqual(sent.toSorted());
  await node.generate(other.address);
  expect((await node.status(sent)).transactionsInBlock.toSorted()).toEqual(sent.toSorted());
  await node.stop();
}
