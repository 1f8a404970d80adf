import { ExtraTag, NonceTag, POW_NONCE_SIZE } from './tags';

/** What a wallet finds in extra; all buffers are copies. */
export interface WalletExtra {
  /** 32 bytes, zeros when there is none. */
  readonly publicKey: Buffer;
  /** 64 hex characters (plain), 16 (encrypted for the receiver), or ''. */
  readonly paymentId: string;
  readonly data: Buffer;
  /** Depth 0 and a root of zeros when there is none. */
  readonly mergeMining: { readonly depth: bigint; readonly root: Buffer };
  /** 0 when there is none. */
  readonly powNonce: bigint;
}

interface LooseVarint {
  /** May pass 2^53 and is then inexact: every use compares it with a length. */
  readonly value: number;
  readonly exact: bigint;
  /** Bytes taken; less than 0 for a number that overflows (-1) or has a zero in its last group (-2). */
  readonly size: number;
}

/** The wallets' varint: the data may end inside it, and after an error the value is what was read so far. */
function readLooseVarint(bytes: Buffer, start: number): LooseVarint {
  let exact = 0n;
  const result = (size: number): LooseVarint => ({ value: Number(exact), exact, size });
  for (let size = 0; ; size++) {
    const group = bytes[start + size];
    if (group === undefined) return result(size);
    if (size === 9 && group >= 2) return result(-1);
    if (group === 0 && size > 0) return result(-2);
    exact |= BigInt(group & 0x7f) << BigInt(7 * size);
    if (group < 0x80) return result(size + 1);
  }
}

class WalletExtraReader {
  publicKey: Buffer | undefined;
  paymentId: string | undefined;
  data: Buffer | undefined;
  mergeMining: WalletExtra['mergeMining'] | undefined;
  powNonce: bigint | undefined;
  private sawNonce = false;

  constructor(private readonly extra: Buffer) {}

  read(): WalletExtra {
    for (let at = 0; at < this.extra.length && !this.isComplete();) at += this.step(at);
    return {
      publicKey: this.publicKey ?? Buffer.alloc(32),
      paymentId: this.paymentId ?? '',
      data: this.data ?? Buffer.alloc(0),
      mergeMining: this.mergeMining ?? { depth: 0n, root: Buffer.alloc(32) },
      powNonce: this.powNonce ?? 0n,
    };
  }

  private isComplete(): boolean {
    return [this.publicKey, this.paymentId, this.data, this.mergeMining, this.powNonce].every(
      (found) => found !== undefined,
    );
  }

  /** Looks at one byte and what follows it; returns how far to go on. */
  private step(at: number): number {
    const left = this.extra.length - at;
    switch (this.extra[at]) {
      case ExtraTag.publicKey:
        if (left <= 32 || this.publicKey !== undefined) return 1;
        this.publicKey = Buffer.from(this.extra.subarray(at + 1, at + 33));
        return 33;
      case ExtraTag.nonce:
        if (left <= 1 || this.sawNonce) return 1;
        this.sawNonce = true;
        return this.stepNonce(at, left);
      case ExtraTag.mergeMining:
        return left <= 1 || this.mergeMining !== undefined ? 1 : this.stepMergeMining(at, left);
      case ExtraTag.powNonce:
        if (left <= POW_NONCE_SIZE || this.powNonce !== undefined) return 1;
        this.powNonce = this.extra.readBigUInt64LE(at + 1);
        return 1 + POW_NONCE_SIZE;
      default:
        return 1;
    }
  }

  /** Goes on behind the length and only as far as the fields inside were understood, so the rest is read again. */
  private stepNonce(at: number, left: number): number {
    const length = readLooseVarint(this.extra, at + 1);
    const isWhole = length.size >= 0 && left > length.size + length.value;
    const start = at + 1 + length.size;
    const understood = isWhole ? this.readNonce(this.extra.subarray(start, start + length.value)) : 0;
    return 1 + Math.max(length.size, 0) + understood;
  }

  private readNonce(nonce: Buffer): number {
    let understood = 0;
    for (let at = 0; at < nonce.length;) {
      const size = this.readNonceField(nonce, at);
      understood += size;
      at += Math.max(size, 1);
    }
    return understood;
  }

  /** The size of a field of a nonce; 0 for a byte that begins none. */
  private readNonceField(nonce: Buffer, at: number): number {
    const left = nonce.length - at;
    const tag = nonce[at];
    if (tag === NonceTag.paymentId && left > 32 && this.paymentId === undefined) {
      this.paymentId = nonce.toString('hex', at + 1, at + 33);
      return 33;
    }
    if (at === 0 && tag === NonceTag.encryptedPaymentId && left > 8 && this.paymentId === undefined) {
      this.paymentId = nonce.toString('hex', at + 1, at + 9);
      return 9;
    }
    if (tag === NonceTag.data && left > 1 && this.data === undefined) {
      const length = readLooseVarint(nonce, at + 1);
      const start = at + 1 + length.size;
      if (length.size < 0 || left < 1 + length.size + length.value) return 0;
      this.data = Buffer.from(nonce.subarray(start, start + length.value));
      return 1 + length.size + length.value;
    }
    return 0;
  }

  /** Goes on one length byte short, so the root's last byte is looked at again. */
  private stepMergeMining(at: number, left: number): number {
    const length = readLooseVarint(this.extra, at + 1);
    if (length.size < 0 || left <= length.size + length.value || length.value < 33) return 1;
    const depth = readLooseVarint(this.extra, at + 1 + length.size);
    const start = at + 1 + length.size + depth.size;
    if (depth.size < 0 || start + 32 > this.extra.length) return 1;
    this.mergeMining = { depth: depth.exact, root: Buffer.from(this.extra.subarray(start, start + 32)) };
    return 1 + depth.size + 32;
  }
}

/**
 * Extra as wallets (and the daemon for them) read it: byte by byte, each kind of field taken once wherever its tag is
 * followed by enough bytes (docs/protocol/transactions.md#wallet-reader-of-extra).
 */
export function parseExtraWallet(extra: Uint8Array): WalletExtra {
  return new WalletExtraReader(Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength)).read();
}
