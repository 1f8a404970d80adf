import { join } from 'node:path';
import { encodeAddress } from '@wrkz/core-types';
import { ChainSum, TestWallet } from '@wrkz/testing';
import { WalletError, type SignedSend, type SendRequest } from '../../src';
import { devnet, MoneyWallet } from './support/served';
import { TwoNodes } from './support/two-nodes';
import { importKeys } from '../support/imports';

/*
 * Sends of every kind next to every change of the rules from height 45 to 600, made by a whole wallet, accepted by the pool of a
 * daemon and mined in the next block. One chain grows through all ages, and each block pays the wallet.
 */

const FIRST = 45;
const LAST = 600;
const nodes = new TwoNodes();
const keys = new TestWallet('sender through the ages');
const second = new TestWallet('second key through the ages');
const receiver = new TestWallet('receiver through the ages');
const LONG_ID = '0123456789abcdef'.repeat(4);
const SHORT_ID = '1122334455667788';
const integrated = (paymentId: string): string =>
  encodeAddress({ spendPublic: receiver.spendPublic, viewPublic: receiver.viewPublic, paymentId });

let money: MoneyWallet;

afterAll(async () => {
  await money?.close();
  await nodes.stop();
});

/** Tip heights before, at and after each change of the rules, plus the first and the last height. */
function heights(): number[] {
  const wanted = new Set([FIRST, LAST]);
  for (let height = FIRST + 1; height <= LAST; height++) {
    if (devnet.rulesAt(height) === devnet.rulesAt(height - 1)) continue;
    for (const near of [height - 2, height - 1, height, height + 1]) wanted.add(Math.max(FIRST, Math.min(near, LAST)));
  }
  return [...wanted].sort((a, b) => a - b);
}

const to = (amount: bigint, address = receiver.address) => ({ address, amount });
const AMOUNT = 5n;

/** A request at a height, and the amount that the receiver gets. */
const KINDS: readonly [string, (height: number) => SendRequest, bigint][] = [
  ['basic', () => ({ destinations: [to(AMOUNT)] }), AMOUNT],
  ['several destinations', () => ({ destinations: [to(3n), to(20n), to(1n)] }), 24n],
  ['to itself and another', () => ({ destinations: [to(7n), to(9n, keys.address)] }), 7n],
  ['integrated, short', () => ({ destinations: [to(AMOUNT, integrated(SHORT_ID))] }), AMOUNT],
  ['integrated, long', () => ({ destinations: [to(AMOUNT, integrated(LONG_ID))] }), AMOUNT],
  ['short payment id', () => ({ destinations: [to(AMOUNT)], paymentId: SHORT_ID }), AMOUNT],
  ['long payment id', () => ({ destinations: [to(AMOUNT)], paymentId: LONG_ID }), AMOUNT],
  ['extra data', () => ({ destinations: [to(AMOUNT)], extra: 'ab'.repeat(300), paymentId: LONG_ID }), AMOUNT],
  ['unlock height', (height) => ({ destinations: [to(AMOUNT)], unlockTime: BigInt(height + 90) }), AMOUNT],
  ['unlock time', () => ({ destinations: [to(AMOUNT)], unlockTime: 4_000_000_000n }), AMOUNT],
  ['fixed fee', () => ({ destinations: [to(AMOUNT)], fee: { kind: 'fixed', amount: 50_001n } }), AMOUNT],
  ['fee per byte', () => ({ destinations: [to(AMOUNT)], fee: { kind: 'perByte', rate: 0.7 } }), AMOUNT],
  ['one source', () => ({ destinations: [to(AMOUNT)], sourceAddresses: [own(1)] }), AMOUNT],
  ['change elsewhere', () => ({ destinations: [to(AMOUNT)], changeAddress: own(1) }), AMOUNT],
];

const own = (place: number): string => money.wallet.snapshot.addresses[place] ?? '';

const paid = { total: 0n, sends: 0 };

async function one(name: string, make: () => Promise<string[]>, amount: bigint): Promise<string[]> {
  try {
    const hashes = await make();
    paid.total += amount;
    paid.sends += hashes.length;
    return hashes;
  } catch (error) {
    const why = error instanceof WalletError ? `${String(error.code)} ${error.message}` : String(error);
    throw new Error(`${name} at ${String(nodes.node.height)}: ${why}`, { cause: error });
  }
}

const hashOf = (send: Promise<SignedSend>): Promise<string[]> => send.then(({ hash }) => [hash]);

async function swept(amount: bigint): Promise<string[]> {
  const { entries, unpaid } = await money.wallet.sweep({ destination: receiver.address, amount });
  const [first] = entries;
  if (first?.success === false) throw new WalletError(first.errorCode, 'SWEEP', first.errorMessage);
  expect(unpaid).toBe(0n);
  return entries.map((entry) => (entry.success ? entry.transactionHash : fail(entry.errorMessage)));
}

function fail(message: string): never {
  throw new Error(message);
}

test('sends of every kind are accepted and mined at every age', async () => {
  await nodes.start();
  let turn = 0;
  await nodes.fund(() => (turn++ % 4 === 3 ? secondAddress() : keys.address), FIRST);
  const file = join(nodes.suite.folder(), 'ages.wallet');
  const hex = (secret: Buffer): string => secret.toString('hex');
  money = await MoneyWallet.begin(file, [nodes.port], (parts, settings) =>
    importKeys(parts, settings, {
      privateViewKey: hex(keys.viewSecret),
      privateSpendKey: hex(keys.spendSecret),
      scanHeight: 0,
    }),
  );
  await money.wallet.importSubWallet(hex(second.spendSecret), 0);
  const places = heights();
  let next = 0;
  const done = new Map<string, number>();
  for (const height of places) {
    await nodes.fund(() => (turn++ % 4 === 3 ? secondAddress() : keys.address), height - nodes.node.height);
    await money.untilAt(nodes.node.height, nodes.node.tip);
    await money.until(
      () =>
        money.wallet.snapshot.subWallets.every(({ unspent }) =>
          unspent.every((output) => output.globalIndex !== undefined),
        ),
      () => 'global indexes are missing',
    );
    const hashes: string[] = [];
    // Over all heights each kind is sent before, at and after each change. The unlocked balance limits the number per height.
    const count = height < 70 ? 3 : 7;
    for (let i = 0; i < count; i++) {
      const [name, make, amount] = KINDS[next++ % KINDS.length]!;
      hashes.push(...(await one(name, () => hashOf(money.wallet.send(make(height))), amount)));
      done.set(name, (done.get(name) ?? 0) + 1);
    }
    hashes.push(...(await one('sweep of an amount', () => swept(11n), 11n)));
    const prepared = async (): Promise<string[]> => {
      const { hash } = await money.wallet.prepare({ destinations: [to(13n)] });
      return hashOf(money.wallet.sendPrepared(hash));
    };
    hashes.push(...(await one('prepared', prepared, 13n)));
    expect((await nodes.node.status(hashes)).transactionsInPool.toSorted()).toEqual(hashes.toSorted());
    await nodes.fund(() => keys.address, 1);
    expect((await nodes.node.status(hashes)).transactionsInBlock.toSorted()).toEqual(hashes.toSorted());
  }
  const sum = new ChainSum([receiver]);
  await sum.follow(nodes.node, []);
  const { unlocked, locked } = sum.holding(receiver, 0);
  expect(unlocked + locked).toBe(paid.total);
  expect(KINDS.filter(([name]) => (done.get(name) ?? 0) < 10)).toEqual([]);
  console.log(`${String(paid.sends)} transactions at ${String(places.length)} heights`);
});

const secondAddress = (): string => encodeAddress({ spendPublic: second.spendPublic, viewPublic: keys.viewPublic });
