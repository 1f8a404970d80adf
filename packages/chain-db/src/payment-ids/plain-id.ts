import { findWalletExtra } from '@wrkz/core-types';

const PLAIN_BYTES = 32;

/**
 * The plain payment id in a transaction's extra, as wallets read it (docs/protocol/transactions.md#wallet-reader-of-extra); a
 * view of `extra`. Short ones are encrypted to their receiver, each time in other bytes, and are none.
 */
export function plainPaymentId(extra: Buffer): Buffer | undefined {
  const { paymentId, paymentIdSize } = findWalletExtra(extra);
  return paymentIdSize === PLAIN_BYTES ? extra.subarray(paymentId, paymentId + PLAIN_BYTES) : undefined;
}
