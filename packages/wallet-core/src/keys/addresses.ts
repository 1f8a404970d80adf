import {
  type Address,
  AddressError,
  decodeAddress,
  encodeAddress,
  isPaymentId,
  SHORT_PAYMENT_ID_LENGTH,
} from '@wrkz/core-types';
import { checkKey, isPrimeOrder } from '@wrkz/crypto';
import { walletError, walletErrorOfCode } from '../errors';

/** A decoded address. An integrated address has a `paymentId` in the letter case of its encoding. */
export interface CheckedAddress extends Address {
  /** The plain address of the same keys. */
  readonly plain: string;
}

/**
 * Decodes an address. The checks run in the order of the C++ wallets, and the first failure is thrown.
 * @throws WalletError addressWrongLength, addressWrongPrefix, addressIsIntegrated, addressNotBase58,
 * integratedAddressPaymentIdInvalid, addressNotValid
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

const IDENTITY = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);

/**
 * Whether the point has prime order and is not the identity. No key can spend outputs of a point of small order, and the
 * identity is the public key of the secret 0, which is no secret.
 */
export function isUsablePoint(point: Buffer): boolean {
  return checkKey(point) && isPrimeOrder(point) && !point.equals(IDENTITY);
}

/** Decodes the plain or integrated address of a receiver and requires usable keys. @throws WalletError as `checkAddress` */
export function checkReceiver(text: string): CheckedAddress {
  const address = checkAddress(text, { allowIntegrated: true });
  if (!isUsablePoint(address.spendPublic) || !isUsablePoint(address.viewPublic)) throw walletError.addressNotValid();
  return address;
}

/** Whether the payment id has the short form, which is encrypted for a single receiver. */
export function isShortPaymentId(id: string): boolean {
  return id.length === SHORT_PAYMENT_ID_LENGTH;
}

/** @throws WalletError paymentIdWrongLength unless it has 16 or 64 characters; paymentIdInvalid unless it is hex */
export function checkPaymentId(paymentId: string): void {
  if (paymentId.length !== 16 && paymentId.length !== 64) throw walletError.paymentIdWrongLength();
  if (!isPaymentId(paymentId)) throw walletError.paymentIdInvalid();
}

/**
 * The payment id of a transaction. The given id and the ids of integrated addresses must be equal; '' means no id.
 * @throws WalletError conflictingPaymentIds
 */
export function commonPaymentId(given: string, receivers: readonly Address[]): string {
  const distinct = new Set([given, ...receivers.map(({ paymentId }) => paymentId ?? '')]);
  distinct.delete('');
  if (distinct.size > 1) throw walletError.conflictingPaymentIds();
  const [paymentId = ''] = distinct;
  return paymentId;
}

/**
 * Encodes an integrated address.
 * @param address plain
 * @param paymentId 16 or 64 hex characters, encoded without changing their case
 * @throws WalletError paymentIdWrongLength, paymentIdInvalid, and those of `checkAddress`
 */
export function integratedAddress(address: string, paymentId: string): string {
  checkPaymentId(paymentId);
  const { spendPublic, viewPublic } = checkAddress(address, { allowIntegrated: false });
  return encodeAddress({ spendPublic, viewPublic, paymentId });
}
