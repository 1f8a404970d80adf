import {
  buildSpend,
  chainAWallet,
  findNonceHere,
  Link,
  type TestWalletOutput,
  spendable,
  type SuiteNode,
} from '@wrkz/testing';
import { newSuite } from './daemons';

const suite = newSuite();
const alice = chainAWallet('alice');
let left: SuiteNode;
let middle: SuiteNode;
let right: SuiteNode;
let link: Link;
let outputs: TestWalletOutput[];

/** left -> middle <- link <- right */
beforeAll(async () => {
  const from = await suite.chainA();
  middle = await suite.node({ from });
  link = suite.closeAtEnd(await Link.to(middle.p2pPort));
  left = await suite.node({ from, peers: [middle.p2pPort] });
  right = await suite.node({ from, peers: [link.port] });
  await middle.untilConnections(2);
  outputs = await spendable(middle, alice);
});

afterAll(() => suite.stopAll());

const fees = { next: 100n };
/** A transaction that spends an output; each one is another one, also of the same output. */
async function spend(node: SuiteNode, output = outputs.shift()): Promise<{ transaction: Buffer; hash: string }> {
  if (output === undefined) throw new Error('nothing is left to spend');
  fees.next += 100n;
  return buildSpend(node, alice, output, { height: node.height, fee: fees.next, findNonce: findNonceHere });
}

test('relays mined blocks and sent transactions to the other end', async () => {
  const [hash = ''] = await left.generate(alice.address);
  await right.untilTip(hash);
  expect(middle.tip).toBe(hash);

  const there = await spend(left);
  await left.send(there.transaction);
  await right.untilPool([there.hash]);
  const back = await spend(right);
  await right.send(back.transaction);
  await left.untilPool([there.hash, back.hash]);

  // A block whose transactions the other side holds already travels without them.
  const [full = ''] = await right.generate(alice.address);
  await left.untilTip(full);
  expect((await left.status([there.hash, back.hash])).transactionsInBlock).toHaveLength(2);
  expect([left.pool(), middle.pool(), right.pool()]).toEqual([[], [], []]);
});

test('after a network split the shorter side switches to the longer branch, and its transactions return to the pool', async () => {
  const both = await spend(left);
  await left.send(both.transaction);
  await right.untilPool([both.hash]);
  const fork = right.height;

  link.cut();
  await Promise.all([middle.untilConnections(1), right.untilConnections(0)]);
  const contested = outputs.shift();
  const winning = await spend(left, contested);
  const losing = await spend(right, contested);
  const lost = [await spend(right), await spend(right)];
  await left.send(winning.transaction);
  await right.send(losing.transaction);
  for (const { transaction } of lost) await right.send(transaction);
  const winners = await left.generate(alice.address, 4);
  const losers = await right.generate(alice.address, 2);
  await middle.untilTip(winners.at(-1) ?? '');
  expect(right.tip).toBe(losers.at(-1));
  const onceMined = [both, losing, ...lost].map(({ hash }) => hash);
  expect((await right.status(onceMined)).transactionsInBlock).toHaveLength(onceMined.length);

  link.join();
  await right.untilTip(left.tip);
  expect(right.height).toBe(fork + 4);
  const waiting = lost.map(({ hash }) => hash).sort();
  await Promise.all([left, middle, right].map((node) => node.untilPool(waiting)));
  expect([left.pool(), middle.pool(), right.pool()]).toEqual([waiting, waiting, waiting]);
  // A start from the files that a kill would leave now: the pool was not written yet.
  const killed = await suite.node({ from: right.dataDir });
  expect(killed.pool()).toEqual(waiting);
  await killed.stop();
  expect((await right.status([both.hash, winning.hash])).transactionsInBlock).toHaveLength(2);
  expect((await right.status([losing.hash])).transactionsUnknown).toEqual([losing.hash]);

  const [last = ''] = await right.generate(alice.address);
  await Promise.all([left, middle].map((node) => node.untilTip(last)));
  expect((await left.status(waiting)).transactionsInBlock).toHaveLength(waiting.length);
  const digests = await Promise.all([left, middle, right].map((node) => node.digest()));
  expect(new Set(digests).size).toBe(1);
});
