import { checkKey } from '@wrkz/crypto';
import { decodeTagged, encodeTagged } from './base58';
import { DecodeError } from './reader';
import {
  ADDRESS_PREFIX,
  ADDRESS_PREFIX_TEXT,
  INTEGRATED_ADDRESS_LENGTH_LONG,
  INTEGRATED_ADDRESS_LENGTH_SHORT,
  STANDARD_ADDRESS_LENGTH,
} from './networks/constants';

/** Short payment ids are sent encrypted, long ones plain. */
export const SHORT_PAYMENT_ID_LENGTH = 16;
export const LONG_PAYMENT_ID_LENGTH = 64;

/** Whether a text is a payment id: 16 or 64 hex characters in either case. */
export function isPaymentId(text: string): boolean {
  return /^(?:[0-9a-fA-F]{16}|[0-9a-fA-F]{64})$/.test(text);
}

/** The keys of an address; of an integrated address also the payment id, 16 or 64 hex characters. */
export interface Address {
  readonly spendPublic: Buffer;
  readonly viewPublic: Buffer;
  readonly paymentId?: string;
}

/** Errors of an address, with the numbers of the C++ wallets. */
export const addressErrorCodes = {
  wrongLength: 12,
  wrongPrefix: 13,
  notBase58: 14,
  notValid: 15,
  invalidPaymentId: 16,
  integrated: 25,
} as const;

type AddressErrorName = keyof typeof addressErrorCodes;

/** The texts of the C++ wallets and daemon. */
const texts = {
  wrongPrefix:
    'The address does not have the correct prefix corresponding to this coin - it appears to be an address for another cryptocurrency.',
  notBase58: 'The address contains invalid characters, that are not in the base58 set.',
  notValid: 'The address given is not valid. Possibly invalid checksum. Most likely a typo.',
  invalidPaymentId: 'The payment ID stored in the integrated address supplied is not valid.',
} satisfies Partial<Record<AddressErrorName, string>>;

export class AddressError extends Error {
  override readonly name = 'AddressError';

  readonly code: number;

  constructor(name: AddressErrorName, message: string) {
    super(message);
    this.code = addressErrorCodes[name];
  }
}

function refuse(name: keyof typeof texts): never {
  throw new AddressError(name, texts[name]);
}

/** Encodes an address, or an integrated address if a payment id (16 or 64 hex characters) is given. */
export function encodeAddress(address: Address): string {
  const { spendPublic, viewPublic, paymentId } = address;
  if (spendPublic.length !== 32 || viewPublic.length !== 32) throw new RangeError('address keys must be 32 bytes');
  if (paymentId !== undefined && !isPaymentId(paymentId))
    throw new RangeError('a payment id is 16 or 64 hex characters');
  // The id is encoded as text, not as bytes (docs/protocol/wallet.md#integrated-addresses).
  return encodeTagged(ADDRESS_PREFIX, Buffer.concat([Buffer.from(paymentId ?? '', 'latin1'), spendPublic, viewPublic]));
}

/** Characters of the payment id in an address of this length. */
const paymentIdLengths: ReadonlyMap<number, number> = new Map([
  [STANDARD_ADDRESS_LENGTH, 0],
  [INTEGRATED_ADDRESS_LENGTH_SHORT, 16],
  [INTEGRATED_ADDRESS_LENGTH_LONG, 64],
]);

function decodeText(text: string, error: 'notBase58' | 'notValid'): { tag: bigint; data: Buffer } {
  try {
    return decodeTagged(text);
  } catch (thrown) {
    if (thrown instanceof DecodeError) return refuse(error);
    throw thrown;
  }
}

/**
 * Decodes an address. Throws AddressError in the reference's order: length, prefix text, integrated if not allowed, base58 and
 * checksum, payment id, keys.
 */
export function decodeAddress(text: string, options: { readonly allowIntegrated?: boolean } = {}): Address {
  const idLength = paymentIdLengths.get(text.length);
  if (idLength === undefined) {
    throw new AddressError(
      'wrongLength',
      'The address given is the wrong length. It should be 98 chars, 120 chars, or 186 chars, ' +
        `but it is ${text.length} chars.`,
    );
  }
  if (!text.startsWith(ADDRESS_PREFIX_TEXT)) refuse('wrongPrefix');
  if (idLength > 0 && options.allowIntegrated === false) {
    throw new AddressError(
      'integrated',
      `The address given (${text}) is an integrated address, but integrated addresses aren't valid for this parameter.`,
    );
  }
  const { tag, data } = decodeText(text, idLength > 0 ? 'notBase58' : 'notValid');
  // A neighbouring prefix number can have the same first four characters.
  if (tag !== ADDRESS_PREFIX) refuse('wrongPrefix');
  const paymentId = data.toString('latin1', 0, idLength);
  if (idLength > 0 && !isPaymentId(paymentId)) refuse('invalidPaymentId');
  const keys = data.subarray(idLength);
  const spendPublic = keys.subarray(0, 32);
  const viewPublic = keys.subarray(32);
  if (keys.length !== 64 || !checkKey(spendPublic) || !checkKey(viewPublic)) refuse('notValid');
  return idLength > 0 ? { spendPublic, viewPublic, paymentId } : { spendPublic, viewPublic };
}
