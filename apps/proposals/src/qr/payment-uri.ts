import { formatAmount } from '@wrkz/core-types';

/** A payment as the phone wallets read it: `wrkz:<address>?amount=1.50`, the amount in coins. */
export function paymentUri(address: string, amount?: bigint): string {
  return `wrkz:${address}${amount === undefined ? '' : `?amount=${formatAmount(amount)}`}`;
}
