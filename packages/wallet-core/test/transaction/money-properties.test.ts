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

/* The arithmetic of sends: not an atomic unit more or less, whatever the amounts. */

const sum = (list: readonly bigint[]): bigint => list.reduce((a, b) => a + b, 0n);
const anyAmount = fc.oneof(fc.bigInt(1n, 10_000n), fc.bigInt(1n, MAX_WALLET_OUTPUT), fc.bigInt(1n, MONEY_SUPPLY));

test('an amount comes apart into outputs that are worth it, none of them zero or too large', () => {
  fc.assert(
    fc.property(anyAmount, (amount) => {
      const pieces = denominationsOf(amount);
      expect(sum(pieces)).toBe(amount);
      expect(pieces.every((piece) => piece > 0n && piece <= MAX_WALLET_OUTPUT && isPrettyAmount(piece))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  for (const beyond of [10n ** 16n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
    expect(() => denominationsOf(beyond)).toThrow(expect.objectContaining({ code: 56 }));
  }
});

test('payments come apart into what each was to get, ascending, or are refused with 56', () => {
  const [to, other] = [checkReceiver(bob.address), checkReceiver(alice.address)];
  fc.assert(
    fc.property(fc.array(fc.tuple(anyAmount, fc.boolean()), { minLength: 1, maxLength: 12 }), (list) => {
      const payments = list.map(([amount, isBob]) => ({ to: isBob ? to : other, amount }));
      const count = payments.reduce((total, { amount }) => total + denominationsOf(amount).length, 0);
      if (count > MAX_TRANSACTION_OUTPUTS) {
        expect(() => splitPayments(payments)).toThrow(expect.objectContaining({ code: 56 }));
        return;
      }
      const pieces = splitPayments(payments);
      for (const one of [to, other]) {
        const got = sum(pieces.filter((piece) => piece.to === one).map(({ amount }) => amount));
        expect(got).toBe(sum(payments.filter((payment) => payment.to === one).map(({ amount }) => amount)));
      }
      const amounts = pieces.map(({ amount }) => amount);
      expect(amounts).toEqual([...amounts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    }),
    { numRuns: 1_000 },
  );
});

const rule: fc.Arbitrary<FeeRule> = fc.oneof(
  fc.bigInt(0n, 60_000n).map((amount) => ({ kind: 'fixed' as const, amount })),
  fc.record({ kind: fc.constant('perChunk' as const), chunk: fc.constantFrom(128, 256), amount: fc.bigInt(1n, 500n) }),
);

test('a fee is at least what every rule asks for, at least its rate, and never falls with the size', () => {
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

test('a rate beyond measure costs more than there is, and no number goes round', () => {
  for (const rate of [1e15, 1e300, Infinity]) {
    const terms = new FeeTerms({ kind: 'perByte', rate }, [{ kind: 'perChunk', chunk: 128, amount: 10n }]);
    expect(terms.forSize(125_000)).toBeGreaterThan(2n ** 63n);
  }
  const highest = new FeeTerms({ kind: 'perByte', rate: Number.MAX_VALUE }, [
    { kind: 'perChunk', chunk: 256, amount: 20n },
  ]);
  expect(highest.forSize(1)).toBe(2n ** 64n);
});

test('either order gives every output once', () => {
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

test('as many inputs as are said to fit do fit, by the estimate, and one more does not', () => {
  const shape = fc.record({
    size: fc.integer({ min: 0, max: 125_000 }),
    outputs: fc.integer({ min: 1, max: 90 }),
    mixin: fc.integer({ min: 0, max: 7 }),
  });
  fc.assert(
    fc.property(shape, ({ size, outputs, mixin }) => {
      const most = inputsThatFit(size, outputs, mixin);
      const at = (inputs: number): number => estimateSize({ inputs, outputs, mixin, hasPaymentId: false, data: 0 });
      if (most > 0) expect(at(most)).toBeLessThanOrEqual(size + 2);
      expect(at(most + 1)).toBeGreaterThan(size);
    }),
    { numRuns: 1_000 },
  );
});
