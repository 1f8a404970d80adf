import fc from 'fast-check';
import { fundedHundredths } from '../src/listing';

const percent = (received: bigint, target: bigint): number => Number(fundedHundredths(received, target)) / 100;

test('the percentage is exact to the hundredth, halves rounded up', () => {
  expect(percent(0n, 1n)).toBe(0);
  expect(percent(1n, 3n)).toBe(33.33);
  expect(percent(2n, 3n)).toBe(66.67);
  expect(percent(1n, 20_000n)).toBe(0.01);
  expect(percent(99_994n, 100_000n)).toBe(99.99);
  expect(percent(99_995n, 100_000n)).toBe(100);
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 15n), fc.bigInt(1n, 10n ** 12n), (received, target) => {
      const hundredths = fundedHundredths(received, target);
      const distance = hundredths * target - received * 10_000n;
      expect((distance < 0n ? -distance : distance) * 2n <= target).toBe(true);
    }),
  );
});
