import { ringIndexes } from '@wrkz/consensus';
import { parseTransaction } from '@wrkz/core-types';
import { aliceWith, bob, FakeNode, portsOf, viewOf, subWalletOf, alice, outputFor, devnet } from './support';
import { buildSend, estimateSend } from '../../src/transaction/build-send';
import type { DecoySet, RandomOutsResult, SendRequest, SendContext } from '../../src/transaction/model';
import { walletErrorRows } from '../../src/errors';

/* The decoys of a node are untrusted. */

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

test('one request has all amounts, repeated ones included, and one output more than the mixin', async () => {
  const node = new FakeNode();
  await rings(node);
  expect(node.requests.at(-1)).toEqual({ amounts: [7_000n, 50_000n, 50_000n, 9_000_000n], count: 8 });
});

test('mixin 0 needs no request', async () => {
  const node = new FakeNode();
  const view = { ...wallet, localHeight: 50, networkHeight: 50 };
  expect((await rings(node, view, { mixin: 0 })).every((ring) => ring.length === 1)).toBe(true);
  expect(node.requests).toEqual([]);
});

test('ring members are in ascending order although the node returns them in another one', async () => {
  const made = await rings(new FakeNode(each(({ outputs }) => [...outputs].reverse())));
  for (const ring of made) expect(ring).toEqual([...ring].sort((a, b) => a - b));
  expect(made.every((ring) => new Set(ring).size === 8)).toBe(true);
});

test('sets in another order are matched by their amounts', async () => {
  await expect(rings(new FakeNode((sets) => outs([...sets].reverse())))).resolves.toHaveLength(4);
});

test('outputs of one amount with the same global index are reported and not spent', async () => {
  const [first, second, other] = [1, 1, 2].map((globalIndex) => outputFor(alice, 50_000n, { globalIndex }));
  const outputs = [first!, second!, other!, outputFor(alice, 60_000n, { globalIndex: 1 })];
  const reported: string[][] = [];
  const ports = portsOf(new FakeNode(), {
    onIndexConflict: (conflicting) => Promise.resolve(void reported.push(conflicting.map(({ key }) => key))),
  });
  const send = (amount: bigint) =>
    buildSend({ destinations: [{ address: bob.address, amount }] }, viewOf([subWalletOf(alice, outputs)]), ports);
  const { pending } = await send(90_000n);
  expect(pending.inputs.map(({ output }) => output.key).sort()).toEqual([other!.key, outputs[3]!.key].sort());
  expect(reported).toEqual([[first!.key, second!.key]]);
  await expect(send(190_000n)).rejects.toMatchObject({
    code: 31,
    message: expect.stringContaining('global') as string,
  });
});

test('an own output among the decoys is dropped, by its global index and by its key', async () => {
  const own = new Map(wallet.subWallets[0]!.unspent.map((output) => [output.amount, output]));
  const byIndex = each(({ amount, outputs }) => [
    { globalIndex: own.get(amount)!.globalIndex!, key: outputs[0]!.key },
    ...outputs.slice(1),
  ]);
  const byKey = each(({ amount, outputs }) => [
    { globalIndex: 4_000_000, key: own.get(amount)!.key },
    ...outputs.slice(1),
  ]);
  for (const change of [byIndex, byKey]) {
    const view = { ...wallet, subWallets: [{ ...wallet.subWallets[0]!, unspent: [...own.values()] }] };
    const request = { destinations: [{ address: bob.address, amount: 9_000_000n }] };
    const made = await rings(new FakeNode(change), view, request);
    expect(made.flat()).not.toContain(4_000_000);
    expect(made.every((ring) => ring.length === 8)).toBe(true);
  }
});

const JUNK: [string, (set: DecoySet) => DecoySet['outputs']][] = [
  ['equal indexes', ({ outputs }) => outputs.map(({ key }) => ({ globalIndex: 5, key }))],
  ['equal keys', ({ outputs }) => outputs.map(({ globalIndex }) => ({ globalIndex, key: outputs[0]!.key }))],
  [
    'keys off the curve',
    ({ outputs }) => outputs.map(({ globalIndex }) => ({ globalIndex, key: '02' + '00'.repeat(31) })),
  ],
  ['keys that are not hex', ({ outputs }) => outputs.map(({ globalIndex }) => ({ globalIndex, key: 'zz'.repeat(32) }))],
  ['short keys', ({ outputs }) => outputs.map(({ globalIndex, key }) => ({ globalIndex, key: key.slice(2) }))],
  ['indexes above 32 bits', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: 2 ** 32 + i, key }))],
  ['indexes of 64 bits', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: 2n ** 63n + BigInt(i), key }))],
  ['negative indexes', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: -1 - i, key }))],
  ['fractional indexes', ({ outputs }) => outputs.map(({ key }, i) => ({ globalIndex: i + 0.5, key }))],
  ['empty sets', () => []],
];

test.each(JUNK)('%s are not ring members', async (name, junk) => {
  const node = new FakeNode(each((set) => junk(set).slice(0, set.outputs.length)));
  if (!name.startsWith('equal')) {
    await expect(rings(node)).rejects.toMatchObject({ code: walletErrorRows.notEnoughFakeOutputs.code });
    // The default ring size, then the minimum.
    expect(node.requests.map(({ count }) => count)).toEqual([8, 2]);
    return;
  }
  // One of the equal members is valid: the ring uses it.
  const one = aliceWith([9_100_000n]);
  expect((await rings(node, one)).every((ring) => ring.length === 2)).toBe(true);
});

test('a global index with two keys is used only with the first key', async () => {
  const contradicting = (sets: readonly DecoySet[]) =>
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
  await expect(buildSend(pay, view, portsOf(new FakeNode(contradicting)))).rejects.toMatchObject({
    code: walletErrorRows.notEnoughFakeOutputs.code,
  });
});

test.each(JUNK)('%s beside valid decoys shrink the ring to the valid ones', async (_name, junk) => {
  const node = new FakeNode(each((set) => [...set.outputs.slice(0, 4), ...junk(set).slice(0, 4)]));
  const built = await buildSend(request, wallet, portsOf(node));
  expect(built).toMatchObject({ mixin: 4, defaultMixin: 7 });
});

test('surplus decoys are not used', async () => {
  const more = each(({ outputs }) => [
    ...outputs,
    ...outputs.map(({ key }, i) => ({ globalIndex: 900_000 + i, key: key.replace(/^../, 'ff') })),
  ]);
  for (const ring of await rings(new FakeNode(more))) expect(ring).toHaveLength(8);
});

test('wrong amounts, missing sets and surplus sets are too few decoys', async () => {
  const results = [
    (sets: readonly DecoySet[]) => outs(sets.map((set) => ({ ...set, amount: set.amount + 1n }))),
    (sets: readonly DecoySet[]) => outs(sets.slice(1)),
    (sets: readonly DecoySet[]) => outs([...sets, ...sets]),
    () => outs([]),
  ];
  for (const respond of results)
    await expect(rings(new FakeNode(respond))).rejects.toMatchObject({
      code: walletErrorRows.notEnoughFakeOutputs.code,
    });
});

test('the ring shrinks to the available decoys, then to the minimum, and the used size is reported', async () => {
  const rare = (max: number) => each(({ amount, outputs }) => (amount === 7_000n ? outputs.slice(0, max) : outputs));
  const node = new FakeNode(rare(3));
  expect(await buildSend(request, wallet, portsOf(node))).toMatchObject({ mixin: 3, defaultMixin: 7 });
  expect(node.requests.map(({ count }) => count)).toEqual([8, 4]);
  expect(await estimateSend(request, wallet, portsOf(new FakeNode(rare(3))))).toMatchObject({
    mixin: 3,
    defaultMixin: 7,
  });
  // The second response has fewer decoys than the first one.
  const worse = new FakeNode((sets, attempt) => rare(attempt === 1 ? 5 : 1)(sets));
  expect(await buildSend(request, wallet, portsOf(worse))).toMatchObject({ mixin: 1 });
  expect(worse.requests.map(({ count }) => count)).toEqual([8, 6, 2]);
});

test('after a refusal for too few outputs the minimum ring size is requested immediately', async () => {
  const node = new FakeNode((sets, attempt) => (attempt === 1 ? { kind: 'tooFew' } : outs(sets)));
  expect(await buildSend(request, wallet, portsOf(node))).toMatchObject({ mixin: 1 });
  expect(node.requests.map(({ count }) => count)).toEqual([8, 2]);
});

test('an unavailable node is not queried again', async () => {
  const node = new FakeNode(() => ({ kind: 'unavailable' }));
  await expect(rings(node)).rejects.toMatchObject({ code: walletErrorRows.daemonOffline.code });
  expect(node.requests).toHaveLength(1);
});

test('an estimate has the fee of the send', async () => {
  const node = new FakeNode();
  const estimate = await estimateSend(request, wallet, portsOf(node));
  const built = await buildSend(request, wallet, portsOf(node));
  const { size, transaction } = parseTransaction(built.bytes);
  expect(estimate.fee).toBe(built.fee);
  expect(estimate).toMatchObject({ mixin: 7, inputs: transaction.inputs.length });
  // Other decoys have offsets of other lengths; the fee is the same.
  expect(Math.abs(estimate.size - size)).toBeLessThan(64);
  expect(node.relayed).toEqual([]);
});

test('the largest outputs are spent if the default order needs too many inputs', async () => {
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
  await expect(pay(43_000_000n)).rejects.toMatchObject({ code: walletErrorRows.tooManyInputsToFitInBlock.code });
});

describe('a node that offers fewer than half of the wallet outputs of an amount', () => {
  const rich = aliceWith(Array<bigint>(6).fill(9_100_000n));
  const empty = (sets: readonly DecoySet[]) => outs(sets.map((set) => ({ ...set, outputs: [] })));

  test('is replaced by the next node', async () => {
    const node = new FakeNode((sets, attempt) => (attempt === 1 ? empty(sets) : outs(sets)));
    node.hasAnother = true;
    expect((await rings(node, rich)).every((ring) => ring.length === 8)).toBe(true);
    expect(node.faults).toEqual([expect.stringContaining('returned 0 outputs of amount 9100000')]);
  });

  test('is notEnoughFakeOutputs with both numbers without another node', async () => {
    const node = new FakeNode(empty);
    await expect(rings(node, rich)).rejects.toMatchObject({
      code: walletErrorRows.notEnoughFakeOutputs.code,
      message: expect.stringMatching(/6.*0/),
    });
  });

  test('is not reported as faulty when the wallet has a single output', async () => {
    const node = new FakeNode(empty);
    await expect(rings(node)).rejects.toMatchObject({ code: walletErrorRows.notEnoughFakeOutputs.code });
    expect(node.faults).toEqual([]);
  });
});
