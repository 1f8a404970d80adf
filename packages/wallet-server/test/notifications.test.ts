import type { WalletSyncStatus, WalletTransaction } from '@wrkz/wallet-core';
import { isNotified, isRecent, netAmount, RECENT_BLOCKS } from '../src';

const transfer = (amount: bigint) => ({ publicSpendKey: 'k', amount });

test('sums the net amount over all own addresses without overflow', () => {
  expect(netAmount({ transfers: [] })).toBe(0n);
  expect(netAmount({ transfers: [transfer(2n ** 64n - 1n), transfer(-5n), transfer(2n ** 64n - 1n)] })).toBe(
    2n ** 65n - 7n,
  );
});

test.each([
  ['the network height', { localHeight: 0, networkHeight: 10_000 }],
  ['the node, if it is higher', { localHeight: 10_000, networkHeight: 9_000 }],
])('treats a transaction within RECENT_BLOCKS of %s as recent', (_, heights) => {
  expect(isRecent({ blockHeight: 10_000 - RECENT_BLOCKS }, heights)).toBe(true);
  expect(isRecent({ blockHeight: 10_000 - RECENT_BLOCKS - 1 }, heights)).toBe(false);
  expect(isRecent({ blockHeight: 10_001 }, heights)).toBe(true);
});

test('does not notify a transaction of an unverified block', () => {
  const status = { localHeight: 100, networkHeight: 100 } as WalletSyncStatus;
  const transaction = { blockHeight: 100 } as WalletTransaction;
  expect(isNotified(transaction, status, false)).toBe(true);
  expect(isNotified({ ...transaction, unverifiedBlock: 'ab'.repeat(32) }, status, true)).toBe(false);
});
