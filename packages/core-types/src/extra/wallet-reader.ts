import { findWalletExtra } from './wallet-places';

/** The fields of extra that wallets use; all buffers are copies. */
export interface WalletExtra {
  /** 32 bytes, zeros if absent. */
  readonly publicKey: Buffer;
  /** 64 hex characters (plain), 16 (encrypted for the receiver), or ''. */
  readonly paymentId: string;
  readonly data: Buffer;
  /** Depth 0 and a root of zeros if absent. */
  readonly mergeMining: { readonly depth: bigint; readonly root: Buffer };
  /** 0 if absent. */
  readonly powNonce: bigint;
}

/**
 * Extra as wallets (and the daemon for them) read it: byte by byte, each kind of field once, wherever its tag is
 * followed by enough bytes (docs/protocol/transactions.md#wallet-reader-of-extra).
 */
export function parseExtraWallet(extra: Uint8Array): WalletExtra {
  const bytes = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  const found = findWalletExtra(bytes);
  const hash = (at: number): Buffer => (at < 0 ? Buffer.alloc(32) : Buffer.from(bytes.subarray(at, at + 32)));
  return {
    publicKey: hash(found.publicKey),
    paymentId: found.paymentId < 0 ? '' : bytes.toString('hex', found.paymentId, found.paymentId + found.paymentIdSize),
    data: found.data < 0 ? Buffer.alloc(0) : Buffer.from(bytes.subarray(found.data, found.data + found.dataSize)),
    mergeMining: {
      depth: found.root < 0 ? 0n : looseVarint(bytes, found.depth),
      root: hash(found.root),
    },
    powNonce: found.powNonce < 0 ? 0n : bytes.readBigUInt64LE(found.powNonce),
  };
}

/** A number that fits 64 bits, up to the end of the data if that is earlier. */
function looseVarint(bytes: Buffer, start: number): bigint {
  let value = 0n;
  for (let at = start, shift = 0n; ; at++, shift += 7n) {
    const group = bytes[at];
    if (group === undefined) return value;
    value |= BigInt(group & 0x7f) << shift;
    if (group < 0x80) return value;
  }
}
