import { type Address, fromHex, SHORT_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import { failures } from './failures';

/**
 * The one payment id of a transaction: the one given and those inside integrated addresses must be the same text.
 * @throws WalletError 26
 */
export function agreedPaymentId(given: string, payees: readonly Address[]): string {
  const named = new Set([given, ...payees.map(({ paymentId }) => paymentId ?? '')]);
  named.delete('');
  if (named.size > 1) throw failures.conflictingPaymentIds();
  const [only = ''] = named;
  return only;
}

/** Whether an id travels encrypted for the one receiver. */
export function isShortPaymentId(id: string): boolean {
  return id.length === SHORT_PAYMENT_ID_LENGTH;
}

/** The bytes of free data given as hex. @throws WalletError 53 */
export function freeData(hex: string): Buffer {
  const data = fromHex(hex);
  if (data === undefined) throw failures.invalidExtra();
  return data;
}
