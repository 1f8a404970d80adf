import { parseExtra, type Transaction } from '@wrkz/core-types';

/** Bytes of the tag of the extra nonce and of its length. */
const NONCE_HEADER = 2;

/**
 * Offset of the reserved bytes of a coinbase in the block's blob: after the transaction's public key and the header of the
 * extra nonce. 0 if nothing is reserved.
 * @throws Error if the blob does not contain them
 */
export function reservedOffset(blob: Buffer, coinbase: Transaction, reserved: number): number {
  if (reserved === 0) return 0;
  const { publicKey } = parseExtra(coinbase.extra);
  const position = publicKey === undefined ? -1 : blob.indexOf(publicKey);
  const offset = position + 32 + NONCE_HEADER;
  if (publicKey === undefined || position < 0 || offset + reserved > blob.length) {
    throw new Error('Internal error: failed to create block template, not enough space for reserved bytes');
  }
  return offset;
}
