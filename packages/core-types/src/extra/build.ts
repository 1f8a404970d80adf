import { fromHex } from '../hex';
import { isPaymentId } from '../address';
import { BinaryWriter } from '../writer';
import { ExtraTag, NonceTag, POW_NONCE_SIZE } from './tags';

/** The parts of an extra, written in this order; undefined parts are not written. */
export interface ExtraParts {
  readonly publicKey?: Buffer;
  /** The whole body of a nonce: the reserved bytes of a mining pool, or the result of `buildNonce`. */
  readonly nonce?: Buffer;
  readonly mergeMining?: { readonly depth: bigint; readonly root: Buffer };
  /** The last part, so that a nonce search changes only the last 8 bytes of a prefix. */
  readonly powNonce?: Buffer;
}

/**
 * The extra of a transaction, a coinbase or a merge-mining parent.
 * @throws RangeError for a part of the wrong size
 */
export function buildExtra({ publicKey, nonce, mergeMining, powNonce }: ExtraParts): Buffer {
  const writer = new BinaryWriter(96);
  if (publicKey !== undefined) writer.byte(ExtraTag.publicKey).hash(publicKey);
  if (nonce !== undefined) {
    // The daemon's reader supports only one length byte.
    if (nonce.length > 255) throw new RangeError('a nonce has at most 255 bytes');
    writer.byte(ExtraTag.nonce).byte(nonce.length).bytes(nonce);
  }
  if (mergeMining !== undefined) {
    const body = new BinaryWriter(48).varint(mergeMining.depth).hash(mergeMining.root).toBuffer();
    writer.byte(ExtraTag.mergeMining).varint(body.length).bytes(body);
  }
  if (powNonce !== undefined) {
    if (powNonce.length !== POW_NONCE_SIZE) throw new RangeError('a proof-of-work nonce has 8 bytes');
    writer.byte(ExtraTag.powNonce).bytes(powNonce);
  }
  return writer.toBuffer();
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
