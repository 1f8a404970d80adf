import { BLOCKS_OF_NEWS, isNews, netAmount } from '../src';

const transfer = (amount: bigint) => ({ publicSpendKey: 'k', amount });

test('the amount of a transaction is the sum over all own addresses', () => {
  expect(netAmount({ transfers: [] })).toBe(0n);
  expect(netAmount({ transfers: [transfer(2n ** 64n - 1n), transfer(-5n), transfer(2n ** 64n - 1n)] })).toBe(
    2n ** 65n - 7n,
  );
});

test.each([
  ['the network', { localHeight: 0, networkHeight: 10_000 }],
  ['the node, which is further', { localHeight: 10_000, networkHeight: 9_000 }],
])('news is what lies within so many blocks of %s', (_, heights) => {
  expect(isNews({ blockHeight: 10_000 - BLOCKS_OF_NEWS }, heights)).toBe(true);
  expect(isNews({ blockHeight: 10_000 - BLOCKS_OF_NEWS - 1 }, heights)).toBe(false);
  expect(isNews({ blockHeight: 10_001 }, heights)).toBe(true);
});
