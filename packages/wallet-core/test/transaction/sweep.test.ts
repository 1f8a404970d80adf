import fc from 'fast-check';
import { encodeAddress, parseTransaction } from '@wrkz/core-types';
import { alice, bob, devnet, FakeNode, outputFor, portsOf, subWalletOf, viewOf, receivedBy } from './support';
import { walletErrorRows, nodeRefusal, walletError } from '../../src/errors';
import type { SignedSend, SendContext } from '../../src/transaction/model';
import { submitSend } from '../../src/send/submit';
import { estimateSweep, sweep, type SweepRequest, type SweepResult } from '../../src/transaction/sweep';
import type { WalletErrorName } from '../../src/error-table';

/** A block size limit with about 14 inputs per transaction, so that a sweep of 40 outputs has several batches. */
const ZONE = 3_000;
const LARGEST = ZONE * 1.25 - 600;
const tight = {
  ...devnet,
  rulesAt: (height: number) => ({ ...devnet.rulesAt(height), fullRewardZone: ZONE }),
};
/** A height with a ring size of two and without proof of work. */
const HEIGHT = 105;

/** A wallet that locks the inputs of submitted transactions between two batches, like the real one. */
class SweptWallet {
  readonly sent: SignedSend[] = [];
  view: SendContext;

  constructor(amounts: readonly bigint[], more: Partial<SendContext> = {}) {
    this.view = viewOf(
      [
        subWalletOf(
          alice,
          amounts.map((amount) => outputFor(alice, amount)),
        ),
      ],
      {
        network: tight,
        localHeight: HEIGHT,
        networkHeight: HEIGHT,
        ...more,
      },
    );
  }

  readonly read = (): SendContext => this.view;

  readonly dispatch = (built: SignedSend): Promise<void> => {
    this.sent.push(built);
    const taken = new Set(built.pending.inputs.map(({ output }) => output.key));
    const [own] = this.view.subWallets;
    const unspent = own!.unspent.filter(({ key }) => !taken.has(key));
    this.view = { ...this.view, subWallets: [{ ...own!, unspent }] };
    return Promise.resolve();
  };

  run(request: Partial<SweepRequest>, node = new FakeNode()): Promise<SweepResult> {
    return sweep({ destination: bob.address, ...request }, this.read, portsOf(node), this.dispatch);
  }

  /** The amount that bob receives in the sent transactions. */
  received(): bigint {
    return this.sent
      .flatMap(({ bytes }) => receivedBy(bob, parseTransaction(bytes)))
      .reduce((sum, { amount }) => sum + amount, 0n);
  }
}

const total = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);
const FORTY = Array.from({ length: 40 }, (_, i) => BigInt(1 + (i % 9)) * 10n ** BigInt(3 + (i % 4)));

test('a sweep sends nothing when the inputs of contested transactions do not fit into one transaction', async () => {
  const wallet = new SweptWallet(FORTY);
  const [{ publicSpendKey, unspent } = subWalletOf(alice, [])] = wallet.view.subWallets;
  const contested = unspent.slice(0, 30).map(({ key }, i) => {
    return { hash: String(i).padStart(64, '0'), inputs: [{ key, publicSpendKey }], isReplaced: false };
  });
  wallet.view = { ...wallet.view, contested };
  const { entries } = await wallet.run({});
  expect(wallet.sent).toEqual([]);
  expect(entries[0]).toMatchObject({ success: false, errorCode: walletErrorRows.tooManyInputsToFitInBlock.code });
});

test('a sweep without an amount spends every output in batches', async () => {
  const wallet = new SweptWallet(FORTY);
  const result = await wallet.run({});
  expect(result.entries.length).toBeGreaterThan(2);
  expect(result.entries.every(({ success }) => success)).toBe(true);
  expect(result.left).toEqual({ outputs: 0, amount: 0n });
  expect(result.paid + result.fees).toBe(total(FORTY));
  expect(wallet.received()).toBe(result.paid);
  for (const { bytes } of wallet.sent) expect(bytes.length).toBeLessThanOrEqual(LARGEST);
});

test('a sweep spends the inputs of a batch that was too large in the next one', async () => {
  // Many output amounts and distant decoys: a batch is larger than estimated.
  const wallet = new SweptWallet(Array.from({ length: 40 }, () => 7_654_321_987n));
  const distant = new FakeNode((sets) => ({
    kind: 'outs',
    sets: sets.map((set) => ({
      ...set,
      outputs: set.outputs.map((one) => ({ ...one, globalIndex: 2 ** 22 * (Number(one.globalIndex) + 1) })),
    })),
  }));
  const result = await wallet.run({ paymentId: 'ab'.repeat(32) }, distant);
  expect(result.entries.every(({ success }) => success)).toBe(true);
  expect(result.left).toEqual({ outputs: 0, amount: 0n });
  // A batch without a payment id has 16 inputs.
  expect(wallet.sent.map(({ pending }) => pending.inputs.length)).toEqual([15, 15, 10]);
});

test('a sweep of an amount over several batches does not overpay', async () => {
  const wallet = new SweptWallet(FORTY);
  const amount = (total(FORTY) * 3n) / 4n;
  const result = await wallet.run({ amount });
  expect(result.entries.length).toBeGreaterThan(1);
  expect(wallet.received()).toBe(amount);
  expect(result).toMatchObject({ paid: amount, unpaid: 0n });
});

test('an amount is paid exactly from any outputs', async () => {
  const pretty = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 6 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(pretty, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 1000 }),
      async (digits, share) => {
        const amounts = digits.map(([digit, power]) => BigInt(digit) * 10n ** BigInt(power));
        const wallet = new SweptWallet(amounts);
        const amount = (total(amounts) * BigInt(share)) / 1000n || 1n;
        const result = await wallet.run({ amount });
        if (result.entries[0]?.success === true) {
          expect(wallet.received()).toBe(amount);
          expect(result.unpaid).toBe(0n);
        } else {
          // Refused before a transaction was sent.
          expect(result.entries).toMatchObject([{ errorCode: walletErrorRows.notEnoughBalance.code }]);
          expect(wallet.sent).toEqual([]);
          expect(amount + 10_000n).toBeGreaterThan(total(amounts));
        }
        const taken = total(wallet.sent.flatMap(({ pending }) => pending.inputs.map(({ output }) => output.amount)));
        expect(result.left.amount).toBe(total(amounts) - taken);
      },
    ),
    { numRuns: 40 },
  );
});

test('a refused batch is an entry, and the amount is still paid exactly from the rest', async () => {
  const wallet = new SweptWallet(FORTY);
  const dispatch = wallet.dispatch;
  let calls = 0;
  const refuseFirst = (built: SignedSend): Promise<void> =>
    ++calls === 1 ? Promise.reject(nodeRefusal('Transaction uses locked input')) : dispatch(built);
  const amount = total(FORTY) / 2n;
  const result = await sweep({ destination: bob.address, amount }, wallet.read, portsOf(), refuseFirst);
  expect(result.entries[0]).toEqual({
    success: false,
    errorCode: walletErrorRows.daemonError.code,
    errorMessage: 'Transaction uses locked input',
  });
  expect(wallet.received()).toBe(amount);
});

test('an uncertain submission is not repeated', async () => {
  const wallet = new SweptWallet(FORTY);
  const node = new FakeNode();
  node.submitResults = [{ kind: 'accepted' }, { kind: 'uncertain', ended: false }];
  const held = new Map<string, SignedSend>();
  const dispatch = async (built: SignedSend): Promise<void> => {
    held.set(built.hash, built);
    await wallet.dispatch(built);
    const { kind } = await submitSend(built, node);
    if (kind === 'uncertain') throw walletError.daemonStillProcessing();
  };
  const amount = (total(FORTY) * 3n) / 4n;
  const result = await sweep({ destination: bob.address, amount }, wallet.read, portsOf(node), dispatch);
  expect(result.entries).toMatchObject([
    { success: true },
    { success: false, errorCode: walletErrorRows.daemonStillProcessing.code },
  ]);
  expect(held.size).toBe(2);
  expect(result.paid).toBe(wallet.received());
  expect(result.paid + result.unpaid).toBe(amount);
});

test('a sweep that has paid a part spends the remaining outputs, though rare amounts are missing', async () => {
  const rare = [2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n].map((digit) => digit * 1_000_000n);
  const wallet = new SweptWallet([...Array.from({ length: 20 }, () => 1_000_000n), ...rare]);
  const node = new FakeNode((sets) => ({
    kind: 'outs',
    sets: sets.map((set) => (rare.includes(set.amount) ? { ...set, outputs: [] } : set)),
  }));
  const result = await wallet.run({ amount: 50_000_000n }, node);
  expect(result.entries).toMatchObject([
    { success: true },
    { success: true },
    { success: false, errorCode: walletErrorRows.notEnoughFakeOutputs.code },
  ]);
  expect(result.paid).toBe(wallet.received());
  expect(result.paid + result.unpaid).toBe(50_000_000n);
  expect(result.left).toEqual({ outputs: 8, amount: 44_000_000n });
});

test('an unavailable node ends the sweep', async () => {
  const wallet = new SweptWallet(FORTY);
  const result = await wallet.run(
    {},
    new FakeNode((sets, attempt) => (attempt > 1 ? { kind: 'unavailable' } : { kind: 'outs', sets })),
  );
  expect(result.entries).toMatchObject([
    { success: true },
    { success: false, errorCode: walletErrorRows.daemonOffline.code },
  ]);
  expect(result.left.outputs).toBe(40 - wallet.sent[0]!.pending.inputs.length);
});

test('a full disk ends the sweep, because no other transaction could be recorded', async () => {
  const wallet = new SweptWallet(FORTY);
  const full = (): Promise<void> => Promise.reject(walletError.invalidWalletFilename());
  const { entries, left } = await sweep({ destination: bob.address }, () => wallet.view, portsOf(), full);
  expect(entries).toMatchObject([{ success: false, errorCode: walletErrorRows.invalidWalletFilename.code }]);
  expect(left.outputs).toBe(40);
});

test('inputs that were spent between two batches are not swept', async () => {
  const wallet = new SweptWallet(FORTY);
  const dispatch = async (built: SignedSend): Promise<void> => {
    await wallet.dispatch(built);
    const [own] = wallet.view.subWallets;
    wallet.view = { ...wallet.view, subWallets: [{ ...own!, unspent: own!.unspent.slice(0, 3) }] };
  };
  const result = await sweep({ destination: bob.address }, wallet.read, portsOf(), dispatch);
  expect(result.entries.every(({ success }) => success)).toBe(true);
  expect(wallet.sent[1]?.pending.inputs.length).toBeLessThanOrEqual(3);
});

const LONG_ID = 'ab'.repeat(32);
const integrated = encodeAddress({ spendPublic: bob.spendPublic, viewPublic: bob.viewPublic, paymentId: LONG_ID });

test('an integrated destination with another payment id is refused', async () => {
  const wallet = new SweptWallet(FORTY);
  expect((await wallet.run({ destination: integrated, paymentId: 'cd'.repeat(32) })).entries).toMatchObject([
    { success: false, errorCode: walletErrorRows.conflictingPaymentIds.code },
  ]);
  expect((await wallet.run({ destination: integrated, paymentId: LONG_ID })).entries[0]).toMatchObject({
    success: true,
  });
  expect(wallet.sent.every(({ pending }) => pending.paymentId === LONG_ID)).toBe(true);
});

type Refused = [string, WalletErrorName, Partial<SweepRequest>, Partial<SendContext>?];

const REFUSALS: Refused[] = [
  ['a view wallet', 'illegalViewWalletOperation', {}, { isViewWallet: true }],
  ['a truncated address', 'addressWrongLength', { destination: 'Wrkz' }],
  ['an address of another coin', 'addressWrongPrefix', { destination: 'X' + bob.address.slice(1) }],
  ['a damaged address', 'addressNotValid', { destination: bob.address.slice(0, -2) + 'zz' }],
  ['a payment id of the wrong length', 'paymentIdWrongLength', { paymentId: '12' }],
  ['a payment id that is not hex', 'paymentIdInvalid', { paymentId: 'g'.repeat(64) }],
  ['nothing to sweep', 'notEnoughBalance', {}, { subWallets: [subWalletOf(alice, [])] }],
  ['more than the balance', 'notEnoughBalance', { amount: 10n ** 12n }],
  ['the maximum of 64 bits', 'notEnoughBalance', { amount: 2n ** 64n - 1n }],
  [
    'outputs without global indexes',
    'daemonError',
    {},
    { subWallets: [subWalletOf(alice, [outputFor(alice, 9n, { globalIndex: undefined })])] },
  ],
  ['an amount below the fee', 'notEnoughBalance', {}, { subWallets: [subWalletOf(alice, [outputFor(alice, 9n)])] }],
];

test.each(REFUSALS)('%s: one entry with %s', async (...[, name, request, view]: Refused) => {
  const result = await new SweptWallet(FORTY, view).run(request);
  expect(result.entries).toMatchObject([{ success: false, errorCode: walletErrorRows[name].code }]);
});

test('an estimate has the batches, fees and amounts of the sweep', async () => {
  const wallet = new SweptWallet(FORTY);
  const request = { destination: bob.address, amount: total(FORTY) / 2n };
  const rows = await estimateSweep(request, wallet.read, portsOf());
  expect(total(rows.map(({ amount }) => amount))).toBe(request.amount);
  const result = await wallet.run(request);
  expect(total(rows.map(({ fee }) => fee))).toBe(result.fees);
  await expect(estimateSweep({ destination: 'Wrkz' }, wallet.read, portsOf())).rejects.toMatchObject({
    code: walletErrorRows.addressWrongLength.code,
  });
});
