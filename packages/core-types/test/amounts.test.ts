import fc from 'fast-check';
import { readJsonLines } from '@wrkz/testing/fixtures';
import {
  decomposeAmount,
  describeAmount,
  formatAmount,
  isPrettyAmount,
  networkOf,
  parseAmount,
  prettyAmounts,
  splitIntoDenominations,
} from '../src';

interface Row {
  op: string;
  amount: string;
  dust_threshold: string;
  result: string[];
  decomposeAmount: string[];
  height: number;
  threshold: string;
  ok: boolean;
  power?: number;
}
const rows = readJsonLines<Row>('vectors/fusion.jsonl');
const texts = (amounts: readonly bigint[]): string[] => amounts.map(String);

test('amounts are decomposed as recorded', () => {
  const recorded = rows.filter(({ op }) => op === 'decompose_amount_into_digits');
  expect(recorded).toHaveLength(150);
  for (const { amount, dust_threshold: dust, result } of recorded) {
    expect(texts(decomposeAmount(BigInt(amount), BigInt(dust)))).toEqual(result);
  }
});

test('the dust precedes the first larger part', () => {
  expect(texts(decomposeAmount(62_387_455_827n, 455_827n))).toEqual([
    '455827',
    '7000000',
    '80000000',
    '300000000',
    '2000000000',
    '60000000000',
  ]);
  expect(decomposeAmount(0n, 10n)).toEqual([]);
  expect(decomposeAmount(9n, 10n)).toEqual([9n]);
});

test('denominations of wallets are as recorded', () => {
  const recorded = rows.filter(({ op }) => op === 'splitAmountIntoDenominations');
  expect(recorded).toHaveLength(75);
  for (const { amount, result } of recorded) expect(texts(splitIntoDenominations(BigInt(amount)))).toEqual(result);
  expect(() => splitIntoDenominations(2n ** 64n - 1n)).toThrow(RangeError);
});

test('fusion amounts have the recorded powers of ten', () => {
  for (const row of rows.filter(({ op }) => op === 'isAmountApplicableInFusionTransactionInput')) {
    const amount = BigInt(row.amount);
    const { fusionDustThreshold } = networkOf('mainnet').rulesAt(row.height);
    const ok = amount < BigInt(row.threshold) && amount >= fusionDustThreshold && isPrettyAmount(amount);
    expect({ ok, power: ok ? row.amount.length - 1 : undefined }).toEqual({ ok: row.ok, power: row.power });
  }
});

test('there are 171 pretty amounts', () => {
  expect(prettyAmounts).toHaveLength(171);
  expect([prettyAmounts[0], prettyAmounts[8], prettyAmounts[9], prettyAmounts.at(-1)]).toEqual([
    1n,
    9n,
    10n,
    9n * 10n ** 18n,
  ]);
  expect([0n, 7n, 10n, 11n, 700n, 10n ** 19n].map(isPrettyAmount)).toEqual([false, true, true, false, true, false]);
});

test.each([
  [0n, '0.00'],
  [5n, '0.05'],
  [100n, '1.00'],
  [1_234_567n, '12345.67'],
  [-250n, '-2.50'],
  [2n ** 64n - 1n, '184467440737095516.15'],
])('%s is formatted as %s', (amount, text) => {
  expect(formatAmount(amount)).toBe(text);
  if (amount >= 0n) expect(parseAmount(text)).toBe(amount);
});

test.each([
  ['12', 1200n],
  ['12.3', 1230n],
  ['.5', 50n],
  ['7.', 700n],
  [' 1.2300 ', 123n],
  ['1.234', undefined],
  ['', undefined],
  ['.', undefined],
  ['-1', undefined],
  ['1e5', undefined],
  ['1,5', undefined],
  ['184467440737095516.16', undefined],
])('"%s" is parsed as %s', (text, amount) => expect(parseAmount(text)).toBe(amount));

test('parts sum to the amount', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 14n });
  fc.assert(
    fc.property(amount, fc.bigInt({ min: 0n, max: 100_000n }), (whole, dust) => {
      const sum = (parts: readonly bigint[]): bigint => parts.reduce((total, part) => total + part, 0n);
      expect(sum(decomposeAmount(whole, dust))).toBe(whole);
      expect(sum(splitIntoDenominations(whole))).toBe(whole);
      expect(splitIntoDenominations(whole).every((part) => isPrettyAmount(part) && part <= 500_000_000_000n)).toBe(
        true,
      );
      expect(parseAmount(formatAmount(whole))).toBe(whole);
    }),
  );
});

test.each([
  [0n, '0.00 WRKZ'],
  [120n, '1.20 WRKZ'],
  [123_456_789n, '1,234,567.89 WRKZ'],
  [2n ** 64n - 1n, '184,467,440,737,095,516.15 WRKZ'],
])('%s atomic units are displayed as %s', (amount, text) => {
  expect(describeAmount(amount)).toBe(text);
});
