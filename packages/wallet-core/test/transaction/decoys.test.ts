import { ringIndexes } from '@wrkz/consensus';
import { parseTransaction } from '@wrkz/core-types';
import { aliceWith, bob, FakeNode, portsOf, viewOf, subWalletOf, alice, outputFor, devnet } from './support';
import { buildSend, estimateSend } from '../../src/transaction/build-send';
import type { DecoySet, RandomOutsResult, SendRequest, SendContext } from '../../src/transaction/model';

/* Nothing that a node says of ring members is believed. */

const wallet = aliceWith([7_000n, 50_000n, 50_000n, 9_000_000n]);
const request: SendRequest = { destinations: [{ address: bob.address, amount: 9_060_000n }] };
const outs = (sets: readonly DecoySet[]): RandomOutsResult => ({ kind: 'outs', sets });
const each = (change: (set: DecoySet) => DecoySet['outputs']) => (sets: readonly DecoySet[]) =>
  outs(sets.map((set) => ({ ...set, outputs: change(set) })));

async function rings(node: FakeNode, view: SendContext = wallet, more: Partial<SendRequest> = {}): Promise<number[][]> {
  const built = await buildSend({ ...request, ...more }, view, portsOf(node));
  const { inputs } = parseTransaction(built.bytes).transaction;
  return inputs.map((input) => (input.type === 'key' ? ringIndexes(input.keyOffsets) : []));
}

test('one question for all amounts, repeats kept, one more than a ring needs', async () => {
  const node = new FakeNode();
  await rings(node);
  expect(node.asked.at(-1)).toEqual({ amounts: [7_000n, 50_000n, 50_000n, 9_000_000n], count: 8 });
});

test('a ring of nobody else asks nothing', async () => {
  const node = new FakeNode();
  const view = { ...wallet, localHeight: 50, networkHeight: 50 };
  expect((await rings(node, view, { mixin: 0 })).every((ring) => ring.length === 1)).toBe(true);
  expect(node.asked).toEqual([]);
});

test('an answer out of order makes rings in order', async () => {
  const made = await rings(new FakeNode(each(({ outputs }) => [...outputs].reverse())));
  for (const ring of made) expect(ring).toEqual([...ring].sort((a, b) => a - b));
  expect(made.every((ring) => new Set(ring).size === 8)).toBe(true);
});

test('sets in another order belong to their amounts', async () => {
  await expect(rings(new FakeNode((sets) => outs([...sets].reverse())))).resolves.toHaveLength(4);
});

test('our own output among the others is dropped, by its number and by its key', async () => {
  const own = new Map(wallet.subWallets[0]!.unspent.map((output) => [output.amount, output]));
  const byNumber = each(({ amount, outputs }) => [
    { globalIndex: own.get(amount)!.globalIndex!, key: outputs[0]!.key },
    ...outputs.slice(1),
  ]);
  const byKey = each(({ amount, outputs }) => [
    { globalIndex: 4_000_000, key: own.get(amount)!.key },
    ...outputs.slice(1),
  ]);
  for (const change of [byNumber, byKey]) {
    const view = { ...wallet, subWallets: [{ ...wallet.subWallets[0]!, unspent: [...own.values()] }] };
    const asked = { destinations: [{ address: bob.address, amount: 9_000_000n }] };
    const made = await rings(new FakeNode(change), view, asked);
    expect(made.flat()).not.toContain(4_000_000);
    expect(made.every((ring) => ring.length === 8)).toBe(true);
  }
});

const JUNK: [string, (set: DecoySet) => DecoySet['outputs']][] = [
  ['equal numbers', ({ outputs }) => outputs.map(({ key }) => ({ globalIndex: 5, key }))],
  ['equal keys', ({ outputs }) => outputs.map(({ globalIndex }) => ({ globalIndex, key: outputs[0]!.key }))],
  [
    'keys off the curve',
    ({ outputs }) => outputs.map(({ globalIndex }) => ({ globalIndex, key: '02' + '00'.repeat(31) })),
  ],
  ['keys that are no hex', ({ outputs }) => outputs.map(({ globalIndex }) => ({ globalIndex, key: 'zz'.repeat(32) }))],
  ['short keys', ({ outputs }) => outputs.map(({ globalIndex, key }) => ({ globalIndex, key: key.slice(2) }))],
  ['numbers over 32 bits', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: 2 ** 32 + i, key }))],
  ['numbers of 64 bits', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: 2n ** 63n + BigInt(i), key }))],
  ['negative numbers', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: -1 - i, key }))],
  ['fractions', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: i + 0.5, key }))],
  ['fewer', () => []],
];

test.each(JUNK)('%s are no ring members: 28 when nothing else comes', async (name, junk) => {
  const node = new FakeNode(each((set) => junk(set).slice(0, set.outputs.length)));
  if (!name.startsWith('equal')) {
    await expect(rings(node)).rejects.toMatchObject({ code: 28 });
    // With the ring size of the network, then with the smallest: no more requests than that.
    expect(node.asked.map(({ count }) => count)).toEqual([8, 2]);
    return;
  }
  // One of the equal ones is as good as any: the ring falls back to it.
  const one = aliceWith([9_100_000n]);
  expect((await rings(node, one)).every((ring) => ring.length === 2)).toBe(true);
});

test('a number with two keys is a lie: only the first counts, and our own before all', async () => {
  const lie = (sets: readonly DecoySet[]) =>
    outs(
      sets.map((set, i) => ({
        ...set,
        outputs: set.outputs.map(({ key }, j) => ({
          globalIndex: j,
          key: i < 3 ? key : sets[0]!.outputs.at(-1 - j)!.key,
        })),
      })),
    );
  const view = aliceWith([50_000n, 50_000n, 50_000n, 50_000n]);
  const pay = { destinations: [{ address: bob.address, amount: 180_000n }] };
  await expect(buildSend(pay, view, portsOf(new FakeNode(lie)))).rejects.toMatchObject({ code: 28 });
});

test.each(JUNK)('%s beside good ones shrink the ring to the good ones', async (_name, junk) => {
  const node = new FakeNode(each((set) => [...set.outputs.slice(0, 4), ...junk(set).slice(0, 4)]));
  const built = await buildSend(request, wallet, portsOf(node));
  expect(built).toMatchObject({ mixin: 4, defaultMixin: 7 });
});

test('more than was asked for are not taken', async () => {
  const more = each(({ outputs }) => [
    ...outputs,
    ...outputs.map(({ key }, i) => ({ globalIndex: 900_000 + i, key: key.replace(/^../, 'ff') })),
  ]);
  for (const ring of await rings(new FakeNode(more))) expect(ring).toHaveLength(8);
});

test('wrong amounts, missing sets and sets too many are too few others', async () => {
  const answers = [
    (sets: readonly DecoySet[]) => outs(sets.map((set) => ({ ...set, amount: set.amount + 1n }))),
    (sets: readonly DecoySet[]) => outs(sets.slice(1)),
    (sets: readonly DecoySet[]) => outs([...sets, ...sets]),
    () => outs([]),
  ];
  for (const answer of answers) await expect(rings(new FakeNode(answer))).rejects.toMatchObject({ code: 28 });
});

test('the ring shrinks to what there is, then to the least, and the size used is told', async () => {
  const rare = (most: number) => each(({ amount, outputs }) => (amount === 7_000n ? outputs.slice(0, most) : outputs));
  const node = new FakeNode(rare(3));
  expect(await buildSend(request, wallet, portsOf(node))).toMatchObject({ mixin: 3, defaultMixin: 7 });
  expect(node.asked.map(({ count }) => count)).toEqual([8, 4]);
  expect(await estimateSend(request, wallet, portsOf(new FakeNode(rare(3))))).toMatchObject({
    mixin: 3,
    defaultMixin: 7,
  });
  // The second answer is worse than the first one.
  const worse = new FakeNode((sets, attempt) => rare(attempt === 1 ? 5 : 1)(sets));
  expect(await buildSend(request, wallet, portsOf(worse))).toMatchObject({ mixin: 1 });
  expect(worse.asked.map(({ count }) => count)).toEqual([8, 6, 2]);
});

test('a node that names the shortage is asked for the least at once', async () => {
  const node = new FakeNode((sets, attempt) => (attempt === 1 ? { kind: 'tooFew' } : outs(sets)));
  expect(await buildSend(request, wallet, portsOf(node))).toMatchObject({ mixin: 1 });
  expect(node.asked.map(({ count }) => count)).toEqual([8, 2]);
});

test('a node that is away is not asked again', async () => {
  const node = new FakeNode(() => ({ kind: 'unavailable' }));
  await expect(rings(node)).rejects.toMatchObject({ code: 30 });
  expect(node.asked).toHaveLength(1);
});

test('an estimate is what the send costs', async () => {
  const node = new FakeNode();
  const estimate = await estimateSend(request, wallet, portsOf(node));
  const built = await buildSend(request, wallet, portsOf(node));
  const { size, transaction } = parseTransaction(built.bytes);
  expect(estimate.fee).toBe(built.fee);
  expect(estimate).toMatchObject({ mixin: 7, inputs: transaction.inputs.length });
  // Offsets of other decoys may take other bytes; the fee is the same.
  expect(Math.abs(estimate.size - size)).toBeLessThan(64);
  expect(node.relayed).toEqual([]);
});

test('where the usual order takes too many inputs, the largest ones do', async () => {
  const amounts = [...new Array<bigint>(300).fill(100_000n), ...new Array<bigint>(30).fill(900_000n)];
  const view = viewOf(
    [
      subWalletOf(
        alice,
        amounts.map((amount) => outputFor(alice, amount)),
      ),
    ],
    { network: devnet },
  );
  const pay = (amount: bigint) => buildSend({ destinations: [{ address: bob.address, amount }] }, view, portsOf());
  const built = await pay(26_000_000n);
  expect(built.pending.inputs.map(({ output }) => output.amount)).toEqual(new Array<bigint>(29).fill(900_000n));
  await expect(pay(43_000_000n)).rejects.toMatchObject({ code: 32 });
});

describe('a node that offers fewer than half of the outputs that the wallet itself has of an amount', () => {
  const rich = aliceWith(Array<bigint>(6).fill(9_100_000n));
  const empty = (sets: readonly DecoySet[]) => outs(sets.map((set) => ({ ...set, outputs: [] })));

  test('is left for the next node', async () => {
    const node = new FakeNode((sets, attempt) => (attempt === 1 ? empty(sets) : outs(sets)));
    node.hasAnother = true;
    expect((await rings(node, rich)).every((ring) => ring.length === 8)).toBe(true);
    expect(node.faults).toEqual([expect.stringContaining('offers 0 outputs of amount 9100000')]);
  });

  test('is error 28 with both numbers when there is no other node', async () => {
    const node = new FakeNode(empty);
    await expect(rings(node, rich)).rejects.toMatchObject({ code: 28, message: expect.stringMatching(/6.*0/) });
  });

  test('is believed when the wallet has a single output', async () => {
    const node = new FakeNode(empty);
    await expect(rings(node)).rejects.toMatchObject({ code: 28 });
    expect(node.faults).toEqual([]);
  });
});
