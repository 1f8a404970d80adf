import { fromHex } from '../hex';
import { isPaymentId } from '../payment-id';
import { BinaryWriter } from '../writer';
import { encodeExtraFields, type ExtraField } from './fields';
import { NonceTag } from './tags';

/** The parts of an extra, written in this order; undefined parts are not written. */
export interface ExtraParts {
  readonly publicKey?: Buffer;
  /** The whole body of a nonce: the reserved bytes of a mining pool, or the result of `buildNonce`. */
  readonly nonce?: Buffer;
  readonly mergeMining?: { readonly depth: bigint; readonly root: Buffer };
  /** The last part, so that a nonce search changes only the last 8 bytes of a prefix. */
  readonly powNonce?: Buffer;
}

/** The extra of a transaction, a coinbase or a merge-mining parent. */
export function buildExtra(parts: ExtraParts): Buffer {
  const fields: ExtraField[] = [];
  if (parts.publicKey !== undefined) fields.push({ type: 'publicKey', key: parts.publicKey });
  if (parts.nonce !== undefined) fields.push({ type: 'nonce', nonce: parts.nonce });
  if (parts.mergeMining !== undefined) fields.push({ type: 'mergeMining', ...parts.mergeMining });
  if (parts.powNonce !== undefined) fields.push({ type: 'powNonce', nonce: parts.powNonce });
  return encodeExtraFields(fields);
}

/**
 * The body of a nonce: the payment id (64 hex characters plain, 16 already encrypted for the receiver), then free data.
 */
export function buildNonce(parts: { readonly paymentId?: string; readonly data?: Uint8Array }): Buffer {
  const writer = new BinaryWriter(64);
  if (parts.paymentId !== undefined && parts.paymentId !== '') {
    const id = isPaymentId(parts.paymentId) ? fromHex(parts.paymentId) : undefined;
    if (id === undefined) throw new RangeError('a payment id is 16 or 64 hex characters');
    writer.byte(id.length === 32 ? NonceTag.paymentId : NonceTag.encryptedPaymentId).bytes(id);
  }
  if (parts.data !== undefined && parts.data.length > 0) {
    writer.byte(NonceTag.data).varint(parts.data.length).bytes(parts.data);
  }
  return writer.toBuffer();
}
