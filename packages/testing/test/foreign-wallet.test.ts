import { isUnlocked } from '@wrkz/consensus';
import { parseBlock } from '@wrkz/core-types';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { TestWallet, Suite, type SuiteNode } from '../src';
import { ForeignWallet } from './support/foreign-wallet';

/* An older wallet by other authors synchronizes with our node and sends through it. */

/** Above the height of the fee rules, which the wallet supports, and below that of the transaction proof of work. */
const HEIGHT = 98;
/**
 * The blocks [from, to) that pay the sender. The newest ones are still locked at `HEIGHT`. The amounts of the first blocks
 * are unique, so their outputs would have no decoys.
 */
const PAID = { from: 15, to: 85 } as const;
/** Blocks per request; a divisor of the numbers of blocks above. */
const STEP = 14;
/** Unix seconds of the first block. */
const START = 1_700_000_000;
const AMOUNT = 12_345_678;
const PAYMENT_ID = 'c0ffee'.repeat(10) + '2026';

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const sender = new TestWallet('a wallet of old');
const miner = new TestWallet('a miner');
const wallets: ForeignWallet[] = [];
let node: SuiteNode;
let alice: ForeignWallet;
let bob: ForeignWallet;

async function wallet(keys?: TestWallet): Promise<ForeignWallet> {
  const opened = await ForeignWallet.open(node.daemon.ports.rpc, keys);
  wallets.push(opened);
  return opened;
}

beforeAll(async () => {
  node = await suite.node();
  // A few blocks per request, so that none exceeds the timeout of the client.
  for (let mined = 0; mined < HEIGHT; mined += STEP) {
    const pays = mined + 1 >= PAID.from && mined + 1 < PAID.to ? sender : miner;
    await node.generate(pays.address, STEP, { timestamp: START + mined * 60 });
  }
  [alice, bob] = await Promise.all([wallet(sender), wallet()]);
});

afterAll(async () => {
  await Promise.all(wallets.map((one) => one.close()));
  await suite.stopAll();
});

/** The outputs of the sender, from the bytes of the blocks. */
async function paid(): Promise<{ unlocked: number; locked: number }> {
  const { items } = await node.post<{ items: { block: string }[] }>('/getrawblocks', { startHeight: PAID.from });
  const sums = { unlocked: 0, locked: 0 };
  items.slice(0, PAID.to - PAID.from).forEach(({ block }) => {
    const { transaction } = parseBlock(Buffer.from(block, 'hex')).coinbase;
    const at = { height: HEIGHT, timestamp: 0 };
    const sum = transaction.outputs.reduce((all, { amount }) => all + Number(amount), 0);
    sums[isUnlocked(transaction.unlockTime, at) ? 'unlocked' : 'locked'] += sum;
  });
  return sums;
}

test('has the same address and the same unlocked and locked balance', async () => {
  expect(await alice.address()).toBe(sender.address);
  await alice.start();
  await alice.untilHeight(HEIGHT);
  const expected = await paid();
  expect(expected.locked).toBeGreaterThan(0);
  expect(await alice.status()).toMatchObject({ ...expected, networkHeight: HEIGHT });
  const listed = await alice.transactions();
  expect(
    listed.map(({ height, isCoinbase }) => [height, isCoinbase]).sort(([a], [b]) => Number(a) - Number(b)),
  ).toEqual(Array.from({ length: PAID.to - PAID.from }, (_, i) => [PAID.from + i, true]));
});

test('sends a payment that is in the pool, in a block, and received', async () => {
  await bob.start();
  await bob.untilHeight(HEIGHT);
  const sent = await alice.send(await bob.address(), AMOUNT, PAYMENT_ID);
  expect(sent.error).toBeUndefined();
  expect(sent.fee).toBeGreaterThan(0);
  expect((await node.status([sent.hash])).transactionsInPool).toEqual([sent.hash]);

  const [block] = await node.generate(miner.address, 1, { timestamp: START + HEIGHT * 60 });
  expect(node.tip).toBe(block);
  expect((await node.status([sent.hash])).transactionsInBlock).toEqual([sent.hash]);
  const { block_header: header } = await node.rpc<{ block_header: object }>('getlastblockheader');
  expect(header).toMatchObject({ height: HEIGHT + 1, num_txes: 2 });

  await Promise.all([alice, bob].map((one) => one.untilHeight(HEIGHT + 1)));
  expect(await bob.status()).toMatchObject({ unlocked: AMOUNT, locked: 0 });
  expect(await bob.transactions()).toEqual([
    expect.objectContaining({ hash: sent.hash, height: HEIGHT + 1, amount: AMOUNT, paymentId: PAYMENT_ID }),
  ]);
  const before = await paid();
  const after = await alice.status();
  expect(after.unlocked + after.locked).toBe(before.unlocked + before.locked - AMOUNT - sent.fee);
  const out = (await alice.transactions()).find(({ hash }) => hash === sent.hash);
  expect(out).toMatchObject({ height: HEIGHT + 1, amount: -AMOUNT - sent.fee, fee: sent.fee });
});
