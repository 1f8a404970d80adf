import fc from 'fast-check';
import { lowerBound } from '../src';

test('finds the first index at which the condition ends', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.nat(2000), (low, length, boundary) => {
      const high = low + length;
      const expected = Math.min(Math.max(boundary, low), high);
      expect(lowerBound(low, high, (index) => index < boundary)).toBe(expected);
    }),
  );
});

test('reads no index outside of the range, and few of those inside', () => {
  const seen: number[] = [];
  lowerBound(10, 1034, (index) => {
    seen.push(index);
    return index < 700;
  });
  expect(seen.every((index) => index >= 10 && index < 1034)).toBe(true);
  expect(seen.length).toBeLessThanOrEqual(11);
});

test('finds indexes beyond 2^31', () => {
  expect(lowerBound(0, 2 ** 40, (index) => index < 2 ** 33 + 7)).toBe(2 ** 33 + 7);
});

test('returns the end of an empty range', () => {
  expect(lowerBound(5, 5, () => true)).toBe(5);
});
