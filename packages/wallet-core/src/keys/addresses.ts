import { type Address, AddressError, decodeAddress, encodeAddress, isPaymentId } from '@wrkz/core-types';
import { walletError, walletErrorOfCode } from '../errors';

/** An address as its parts; `paymentId` as it stands in an integrated one. */
export interface CheckedAddress extends Address {
  /** The plain address of the same keys. */
  readonly plain: string;
}

/**
 * Checks an address, looked at in the reference's order: length 12, first letters 13, integrated where it may not be 25,
 * base58 of an integrated one 14, payment id 16, checksum and keys 15.
 * @throws WalletError
 */
export function checkAddress(text: string, options: { readonly allowIntegrated: boolean }): CheckedAddress {
  try {
    const address = decodeAddress(text, options);
    if (address.paymentId === undefined) return { ...address, plain: text };
    const { spendPublic, viewPublic } = address;
    return { ...address, plain: encodeAddress({ spendPublic, viewPublic }) };
  } catch (error) {
    if (error instanceof AddressError) throw walletErrorOfCode(error.code, error.message);
    throw error;
  }
}

/** @throws WalletError 23 for another length than 16 and 64, 24 for what is no hex */
export function checkPaymentId(paymentId: string): void {
  if (paymentId.length !== 16 && paymentId.length !== 64) throw walletError.paymentIdWrongLength();
  if (!isPaymentId(paymentId)) throw walletError.paymentIdInvalid();
}

/**
 * The integrated address of a plain one; the id, 16 or 64 hex characters, goes in as it is written.
 * @throws WalletError 23, 24, and those of an address that is not a plain one
 */
export function integratedAddress(address: string, paymentId: string): string {
  checkPaymentId(paymentId);
  const { spendPublic, viewPublic } = checkAddress(address, { allowIntegrated: false });
  return encodeAddress({ spendPublic, viewPublic, paymentId });
}
