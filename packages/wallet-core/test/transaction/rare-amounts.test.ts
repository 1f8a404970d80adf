import fc from 'fast-check';
import { buildSend, estimateSend } from '../../src/transaction/build-send';
import type { RandomOutsResult, SendContext } from '../../src/transaction/model';
import { sweep, type SweepRequest } from '../../src/transaction/sweep';
import { alice, aliceWith, bob, FakeNode, outputFor, portsOf, subWalletOf } from './support';
import { walletErrorRows } from '../../src/errors';

/* Rare amounts: no ring can hide an output whose amount has too few other outputs, so other outputs are spent instead. */

/** A node without decoys for some amounts. */
type Shortage = (rare: ReadonlySet<bigint>) => FakeNode;

const SHORTAGES: readonly [string, Shortage][] = [
  [
    'that returns empty sets for them',
    (rare) =>
      new FakeNode((sets) => ({
        kind: 'outs',
        sets: sets.map((set) => (rare.has(set.amount) ? { ...set, outputs: [] } : set)),
      })),
  ],
  [
    'that omits their sets',
    (rare) => new FakeNode((sets) => ({ kind: 'outs', sets: sets.filter(({ amount }) => !rare.has(amount)) })),
  ],
  [
    'that refuses the whole request',
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

describe.each(SHORTAGES)('with a node without decoys for some amounts %s', (_name, nodeWithout) => {
  test('a send spends other inputs with full rings', async () => {
    const node = nodeWithout(rareOf(3_000n, 20_000n));
    const built = await buildSend(pay(5_000n), wallet, portsOf(node));
    expect(takenOf(built)).toEqual(expect.arrayContaining([7_000n]));
    expect(takenOf(built)).not.toEqual(expect.arrayContaining([3_000n]));
    expect(built).toMatchObject({ mixin: 7, defaultMixin: 7 });
    await expect(estimateSend(pay(5_000n), wallet, portsOf(node))).resolves.toMatchObject({ mixin: 7 });
  });

  test('a send is refused with notEnoughFakeOutputs only if no other inputs suffice', async () => {
    const node = nodeWithout(rareOf(9_000_000n));
    await expect(buildSend(pay(9_000_000n), wallet, portsOf(node))).rejects.toMatchObject({
      code: walletErrorRows.notEnoughFakeOutputs.code,
    });
    await expect(buildSend(pay(1_300_000n), wallet, portsOf(node))).resolves.toMatchObject({ mixin: 7 });
    // An amount above the balance is refused without a request to the node.
    const requests = node.requests.length;
    await expect(buildSend(pay(90_000_000n), wallet, portsOf(node))).rejects.toMatchObject({
      code: walletErrorRows.notEnoughBalance.code,
    });
    expect(node.requests).toHaveLength(requests);
  });

  test('a send is refused with notEnoughFakeOutputs after a bounded number of requests if every amount is rare', async () => {
    const node = nodeWithout(new Set(AMOUNTS));
    await expect(buildSend(pay(5_000n), wallet, portsOf(node))).rejects.toMatchObject({
      code: walletErrorRows.notEnoughFakeOutputs.code,
    });
    expect(node.requests.length).toBeLessThanOrEqual(6 * AMOUNTS.length);
  });

  test('a sweep spends the other outputs and reports the remaining ones', async () => {
    const node = nodeWithout(rareOf(7_000n, 900_000n));
    const result = await swept(wallet, node);
    expect(result.entries).toMatchObject([
      { success: true, mixin: 7 },
      { success: false, errorCode: walletErrorRows.notEnoughFakeOutputs.code },
    ]);
    expect(result.left).toEqual({ outputs: 2, amount: 907_000n });
    expect(result.paid + result.fees).toBe(AMOUNTS.reduce((a, b) => a + b) - 907_000n);
  });

  test('a sweep is refused if every amount is rare', async () => {
    const result = await swept(wallet, nodeWithout(new Set(AMOUNTS)));
    expect(result).toMatchObject({
      entries: [{ success: false, errorCode: walletErrorRows.notEnoughFakeOutputs.code }],
      paid: 0n,
    });
  });

  test('a sweep of an amount pays it exactly from other outputs, without an error entry', async () => {
    const result = await swept(wallet, nodeWithout(rareOf(3_000n, 20_000n)), { amount: 440_000n });
    expect(result).toMatchObject({ entries: [{ success: true }], paid: 440_000n, unpaid: 0n });
  });

  test('a sweep of an amount that the other outputs do not cover sends nothing', async () => {
    const node = nodeWithout(rareOf(9_000_000n));
    const result = await swept(wallet, node, { amount: 5_000_000n });
    expect(result).toMatchObject({
      entries: [{ success: false, errorCode: walletErrorRows.notEnoughFakeOutputs.code }],
      paid: 0n,
      unpaid: 5_000_000n,
    });
    expect(result.entries).toHaveLength(1);
  });
});

test('a send succeeds exactly if the amounts with decoys cover it', async () => {
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
        // An amount above the balance has the same error with and without decoys.
        const expected = alone === 'sent' ? 'sent' : whole === 'sent' ? 28 : whole;
        expect(await send(wallet, nodeWithout(new Set(rare)))).toBe(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test('a node that becomes unavailable during the search for rare amounts ends the send with daemonOffline', async () => {
  const node = new FakeNode((_sets, attempt) => ({ kind: attempt > 2 ? 'unavailable' : 'tooFew' }));
  await expect(buildSend(pay(5_000n), wallet, portsOf(node))).rejects.toMatchObject({
    code: walletErrorRows.daemonOffline.code,
  });
  expect(node.requests).toHaveLength(3);
});

test('a node that reports another rare amount for every request gets a bounded number of requests', async () => {
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
  await expect(buildSend(pay(50n), view, portsOf(node))).rejects.toMatchObject({
    code: walletErrorRows.notEnoughFakeOutputs.code,
  });
  expect(node.requests.length).toBeLessThanOrEqual(60);
});

test('a refusal without a rare amount ends the send with notEnoughFakeOutputs', async () => {
  const node = new FakeNode((sets, attempt) => (attempt > 2 ? { kind: 'outs', sets } : { kind: 'tooFew' }));
  await expect(buildSend(pay(12_000n), wallet, portsOf(node))).rejects.toMatchObject({
    code: walletErrorRows.notEnoughFakeOutputs.code,
  });
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
