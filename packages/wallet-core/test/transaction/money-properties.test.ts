import fc from 'fast-check';
import { minimumFee } from '@wrkz/consensus';
import {
  isPrettyAmount,
  MAX_TRANSACTION_OUTPUTS,
  MAX_WALLET_OUTPUT,
  MONEY_SUPPLY,
  type FeeRule,
} from '@wrkz/core-types';
import { FeeTerms } from '../../src/transaction/terms';
import { smallestFirstByDigits, largestFirst } from '../../src/transaction/coin-selection';
import { denominationsOf, splitPayments } from '../../src/transaction/outputs';
import { estimateSize, inputsThatFit } from '../../src/transaction/coin-selection';
import { checkReceiver } from '../../src/keys/addresses';
import { alice, bob, outputFor, subWalletOf } from './support';
import { walletErrorRows } from '../../src/errors';

/* The arithmetic of sends is exact for all amounts. */

const sum = (list: readonly bigint[]): bigint => list.reduce((a, b) => a + b, 0n);
const anyAmount = fc.oneof(fc.bigInt(1n, 10_000n), fc.bigInt(1n, MAX_WALLET_OUTPUT), fc.bigInt(1n, MONEY_SUPPLY));

test('an amount is split into denominations with the same sum, none of them zero or above the maximum', () => {
  fc.assert(
    fc.property(anyAmount, (amount) => {
      const parts = denominationsOf(amount);
      expect(sum(parts)).toBe(amount);
      expect(parts.every((part) => part > 0n && part <= MAX_WALLET_OUTPUT && isPrettyAmount(part))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  for (const beyond of [10n ** 16n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
    expect(() => denominationsOf(beyond)).toThrow(
      expect.objectContaining({ code: walletErrorRows.outputDecomposition.code }),
    );
  }
});

test('the outputs of payments have the sum of each receiver and ascend, or are refused with outputDecomposition', () => {
  const [to, other] = [checkReceiver(bob.address), checkReceiver(alice.address)];
  fc.assert(
    fc.property(fc.array(fc.tuple(anyAmount, fc.boolean()), { minLength: 1, maxLength: 12 }), (list) => {
      const payments = list.map(([amount, isBob]) => ({ to: isBob ? to : other, amount }));
      const count = payments.reduce((total, { amount }) => total + denominationsOf(amount).length, 0);
      if (count > MAX_TRANSACTION_OUTPUTS) {
        expect(() => splitPayments(payments)).toThrow(
          expect.objectContaining({ code: walletErrorRows.outputDecomposition.code }),
        );
        return;
      }
      const parts = splitPayments(payments);
      for (const receiver of [to, other]) {
        const got = sum(parts.filter((part) => part.to === receiver).map(({ amount }) => amount));
        expect(got).toBe(sum(payments.filter((payment) => payment.to === receiver).map(({ amount }) => amount)));
      }
      const amounts = parts.map(({ amount }) => amount);
      expect(amounts).toEqual([...amounts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    }),
    { numRuns: 1_000 },
  );
});

const rule: fc.Arbitrary<FeeRule> = fc.oneof(
  fc.bigInt(0n, 60_000n).map((amount) => ({ kind: 'fixed' as const, amount })),
  fc.record({ kind: fc.constant('perChunk' as const), chunk: fc.constantFrom(128, 256), amount: fc.bigInt(1n, 500n) }),
);

test('a fee is at least the minimum of every rule and the rate, and never decreases with the size', () => {
  const size = fc.integer({ min: 1, max: 125_000 });
  const rate = fc.double({ min: 10 / 128, max: 1_000, noNaN: true });
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), size, size, rate, (rules, one, two, perByte) => {
      const [small, large] = one < two ? [one, two] : [two, one];
      for (const choice of [{ kind: 'minimum' as const }, { kind: 'perByte' as const, rate: perByte }]) {
        const terms = new FeeTerms(choice, rules);
        for (const each of rules) expect(terms.forSize(small)).toBeGreaterThanOrEqual(minimumFee(small, each));
        expect(terms.forSize(large)).toBeGreaterThanOrEqual(terms.forSize(small));
        expect(terms.isExpected(terms.forSize(small), small)).toBe(true);
        if (terms.forSize(small) > 0n) expect(terms.isExpected(terms.forSize(small) - 1n, small)).toBe(false);
      }
      const chunks = rules.flatMap((each) => (each.kind === 'perChunk' ? [each.chunk] : []));
      const terms = new FeeTerms({ kind: 'perByte', rate: perByte }, rules);
      // A floating rate may lose less than one unit, by rounding down.
      if (chunks.length > 0) expect(Number(terms.forSize(small)) + 1).toBeGreaterThan(small * perByte * (1 - 1e-12));
    }),
    { numRuns: 2_000 },
  );
});

test('an excessive rate gives a fee above every balance, without overflow', () => {
  for (const rate of [1e15, 1e300, Infinity]) {
    const terms = new FeeTerms({ kind: 'perByte', rate }, [{ kind: 'perChunk', chunk: 128, amount: 10n }]);
    expect(terms.forSize(125_000)).toBeGreaterThan(2n ** 63n);
  }
  const highest = new FeeTerms({ kind: 'perByte', rate: Number.MAX_VALUE }, [
    { kind: 'perChunk', chunk: 256, amount: 20n },
  ]);
  expect(highest.forSize(1)).toBe(2n ** 64n);
});

test('either coin selection returns every output once', () => {
  const outputs = Array.from({ length: 60 }, () => outputFor(alice, 1n));
  const owner = subWalletOf(alice, []);
  fc.assert(
    fc.property(fc.array(fc.bigInt(1n, 2n ** 64n - 1n), { maxLength: 60 }), (amounts) => {
      const inputs = amounts.map((amount, i) => ({ output: { ...outputs[i]!, amount }, owner }));
      for (const order of [smallestFirstByDigits, largestFirst]) {
        const given = [...order(inputs)];
        expect(given).toHaveLength(inputs.length);
        expect(new Set(given)).toEqual(new Set(inputs));
      }
      const down = [...largestFirst(inputs)].map(({ output }) => output.amount);
      expect(down).toEqual([...down].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)));
    }),
    { numRuns: 300 },
  );
});

test('inputsThatFit returns the highest number of inputs whose estimated size fits', () => {
  const shape = fc.record({
    size: fc.integer({ min: 0, max: 125_000 }),
    outputs: fc.integer({ min: 1, max: 90 }),
    mixin: fc.integer({ min: 0, max: 7 }),
  });
  fc.assert(
    fc.property(shape, ({ size, outputs, mixin }) => {
      const max = inputsThatFit(size, outputs, mixin);
      const at = (inputs: number): number => estimateSize({ inputs, outputs, mixin, hasPaymentId: false, data: 0 });
      if (max > 0) expect(at(max)).toBeLessThanOrEqual(size + 2);
      expect(at(max + 1)).toBeGreaterThan(size);
    }),
    { numRuns: 1_000 },
  );
});
