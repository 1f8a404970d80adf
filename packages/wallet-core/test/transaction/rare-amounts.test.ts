import fc from 'fast-check';
import { buildSend, estimateSend } from '../../src/transaction/build-send';
import type { RandomOutsResult, SendContext } from '../../src/transaction/model';
import { sweep, type SweepRequest } from '../../src/transaction/sweep';
import { alice, aliceWith, bob, FakeNode, outputFor, portsOf, subWalletOf } from './support';

/* An output whose amount nobody else has hides nowhere: others pay instead, and the node is not asked without end. */

/** What a node gives of amounts that have no others. */
type Shortage = (rare: ReadonlySet<bigint>) => FakeNode;

const SHORTAGES: readonly [string, Shortage][] = [
  [
    'that answers fewer',
    (rare) =>
      new FakeNode((sets) => ({
        kind: 'outs',
        sets: sets.map((set) => (rare.has(set.amount) ? { ...set, outputs: [] } : set)),
      })),
  ],
  [
    'that leaves the amount out',
    (rare) => new FakeNode((sets) => ({ kind: 'outs', sets: sets.filter(({ amount }) => !rare.has(amount)) })),
  ],
  [
    'that refuses all of it',
    (rare) =>
      new FakeNode((sets): RandomOutsResult =>
        sets.some(({ amount }) => rare.has(amount)) ? { kind: 'tooFew' } : { kind: 'outs', sets },
      ),
  ],
];

const AMOUNTS = [3_000n, 7_000n, 20_000n, 50_000n, 400_000n, 900_000n, 9_000_000n];
const wallet = aliceWith(AMOUNTS);
const pay = (amount: bigint) => ({ destinations: [{ address: bob.address, amount }] });
const takenOf = (built: Awaited<ReturnType<typeof buildSend>>): bigint[] =>
  built.pending.inputs.map(({ output }) => output.amount);
const rareOf = (...amounts: readonly bigint[]): ReadonlySet<bigint> => new Set(amounts);

describe.each(SHORTAGES)('a node %s', (_name, nodeWithout) => {
  test('is asked for other inputs, and they pay, in full rings', async () => {
    const node = nodeWithout(rareOf(3_000n, 20_000n));
    const built = await buildSend(pay(5_000n), wallet, portsOf(node));
    expect(takenOf(built)).toEqual(expect.arrayContaining([7_000n]));
    expect(takenOf(built)).not.toEqual(expect.arrayContaining([3_000n]));
    expect(built).toMatchObject({ mixin: 7, defaultMixin: 7 });
    await expect(estimateSend(pay(5_000n), wallet, portsOf(node))).resolves.toMatchObject({ mixin: 7 });
  });

  test('gives 28 only where no other inputs suffice', async () => {
    const node = nodeWithout(rareOf(9_000_000n));
    await expect(buildSend(pay(9_000_000n), wallet, portsOf(node))).rejects.toMatchObject({ code: 28 });
    await expect(buildSend(pay(1_300_000n), wallet, portsOf(node))).resolves.toMatchObject({ mixin: 7 });
    // What is too much whatever the node has is 11, and no question.
    const asked = node.asked.length;
    await expect(buildSend(pay(90_000_000n), wallet, portsOf(node))).rejects.toMatchObject({ code: 11 });
    expect(node.asked).toHaveLength(asked);
  });

  test('gives 28 where every amount is rare, after a bounded number of questions', async () => {
    const node = nodeWithout(new Set(AMOUNTS));
    await expect(buildSend(pay(5_000n), wallet, portsOf(node))).rejects.toMatchObject({ code: 28 });
    expect(node.asked.length).toBeLessThanOrEqual(6 * AMOUNTS.length);
  });

  test('leaves a sweep its others, and it tells of what stays', async () => {
    const node = nodeWithout(rareOf(7_000n, 900_000n));
    const result = await swept(wallet, node);
    expect(result.entries).toMatchObject([
      { success: true, mixin: 7 },
      { success: false, errorCode: 28 },
    ]);
    expect(result.left).toEqual({ outputs: 2, amount: 907_000n });
    expect(result.paid + result.fees).toBe(AMOUNTS.reduce((a, b) => a + b) - 907_000n);
  });

  test('leaves a sweep nothing', async () => {
    const result = await swept(wallet, nodeWithout(new Set(AMOUNTS)));
    expect(result).toMatchObject({ entries: [{ success: false, errorCode: 28 }], paid: 0n });
  });

  test('lets a sweep of an amount be paid from others, exactly and without a complaint', async () => {
    const result = await swept(wallet, nodeWithout(rareOf(3_000n, 20_000n)), { amount: 440_000n });
    expect(result).toMatchObject({ entries: [{ success: true }], paid: 440_000n, unpaid: 0n });
  });

  test('refuses a sweep of an amount that others do not cover before anything leaves', async () => {
    const node = nodeWithout(rareOf(9_000_000n));
    const result = await swept(wallet, node, { amount: 5_000_000n });
    expect(result).toMatchObject({ entries: [{ success: false, errorCode: 28 }], paid: 0n, unpaid: 5_000_000n });
    expect(result.entries).toHaveLength(1);
  });
});

test('a send succeeds exactly where the amounts that have others cover it', async () => {
  const some = fc.subarray(AMOUNTS);
  await fc.assert(
    fc.asyncProperty(
      some,
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.constantFrom(...SHORTAGES),
      async (rare, amount, [, nodeWithout]) => {
        const common = AMOUNTS.filter((one) => !rare.includes(one));
        const send = (view: SendContext, node: FakeNode): Promise<unknown> =>
          estimateSend(pay(BigInt(amount)), view, portsOf(node)).then(
            () => 'sent',
            ({ code }: { code: number }) => code,
          );
        const alone = await send(aliceWith(common), new FakeNode());
        const whole = await send(wallet, new FakeNode());
        // Where even everything does not do, nobody asks for others.
        const expected = alone === 'sent' ? 'sent' : whole === 'sent' ? 28 : whole;
        expect(await send(wallet, nodeWithout(new Set(rare)))).toBe(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test('a node that goes away while other inputs are looked for: 30', async () => {
  const node = new FakeNode((_sets, attempt) => ({ kind: attempt > 2 ? 'unavailable' : 'tooFew' }));
  await expect(buildSend(pay(5_000n), wallet, portsOf(node))).rejects.toMatchObject({ code: 30 });
  expect(node.asked).toHaveLength(3);
});

test('a node that names one amount after another is not asked for ever', async () => {
  const amounts = Array.from({ length: 90 }, (_, i) => BigInt(1 + (i % 9)) * 10n ** BigInt(2 + Math.floor(i / 9)));
  const view = {
    ...wallet,
    subWallets: [
      subWalletOf(
        alice,
        amounts.map((amount) => outputFor(alice, amount)),
      ),
    ],
  };
  const node = new FakeNode((sets) => ({
    kind: 'outs',
    sets: sets.map((set, i) => (i === 0 ? { ...set, outputs: [] } : set)),
  }));
  await expect(buildSend(pay(50n), view, portsOf(node))).rejects.toMatchObject({ code: 28 });
  expect(node.asked.length).toBeLessThanOrEqual(60);
});

test('a refusal whose amounts are fine one by one is 28', async () => {
  const node = new FakeNode((sets, attempt) => (attempt > 2 ? { kind: 'outs', sets } : { kind: 'tooFew' }));
  await expect(buildSend(pay(12_000n), wallet, portsOf(node))).rejects.toMatchObject({ code: 28 });
});

async function swept(view: SendContext, node: FakeNode, more: Partial<SweepRequest> = {}) {
  let now = view;
  return sweep(
    { destination: bob.address, ...more },
    () => now,
    portsOf(node),
    ({ pending }) => {
      const taken = new Set(pending.inputs.map(({ output }) => output.key));
      const [own] = now.subWallets;
      now = { ...now, subWallets: [{ ...own!, unspent: own!.unspent.filter(({ key }) => !taken.has(key)) }] };
      return Promise.resolve();
    },
  );
}
