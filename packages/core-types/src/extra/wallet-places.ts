import { ExtraTag, NonceTag, POW_NONCE_SIZE } from './tags';

/** Offsets of the fields in the searched bytes; -1 if absent. */
export type WalletExtraPlaces = Readonly<Omit<WalletExtraSearch, 'run'>>;

interface LooseVarint {
  /** Inexact above 2^53, which suffices for comparisons with lengths. */
  readonly value: number;
  /** Bytes taken; less than 0 for a number that overflows (-1) or has a zero in its last group (-2). */
  readonly size: number;
}

/** The varint of wallets: the data may end inside it; after an error the value is that of the preceding bytes. */
function readLooseVarint(bytes: Buffer, start: number, end: number): LooseVarint {
  let value = 0;
  for (let size = 0, scale = 1; ; size++, scale *= 0x80) {
    const at = start + size;
    if (at >= end) return { value, size };
    const group = bytes[at] as number;
    if (size === 9 && group >= 2) return { value, size: -1 };
    if (group === 0 && size > 0) return { value, size: -2 };
    value += (group & 0x7f) * scale;
    if (group < 0x80) return { value, size: size + 1 };
  }
}

class WalletExtraSearch {
  /** 32 bytes. */
  publicKey = -1;
  /** 32 bytes when plain, 8 when encrypted for the receiver. */
  paymentId = -1;
  paymentIdSize = 0;
  data = -1;
  dataSize = 0;
  /** The varint of the merge-mining tag's depth, and its root of 32 bytes; both or neither. */
  depth = -1;
  root = -1;
  /** 8 bytes. */
  powNonce = -1;
  private sawNonce = false;

  constructor(
    private readonly bytes: Buffer,
    private readonly end: number,
  ) {}

  run(start: number): this {
    for (let at = start; at < this.end && !this.isComplete();) at += this.step(at);
    return this;
  }

  private isComplete(): boolean {
    return this.publicKey >= 0 && this.paymentId >= 0 && this.data >= 0 && this.root >= 0 && this.powNonce >= 0;
  }

  /** Parses the field that starts at a byte, if any; returns the number of bytes to advance. */
  private step(at: number): number {
    const left = this.end - at;
    switch (this.bytes[at]) {
      case ExtraTag.publicKey:
        if (left <= 32 || this.publicKey >= 0) return 1;
        this.publicKey = at + 1;
        return 33;
      case ExtraTag.nonce:
        if (left <= 1 || this.sawNonce) return 1;
        this.sawNonce = true;
        return this.stepNonce(at, left);
      case ExtraTag.mergeMining:
        return left <= 1 || this.root >= 0 ? 1 : this.stepMergeMining(at, left);
      case ExtraTag.powNonce:
        if (left <= POW_NONCE_SIZE || this.powNonce >= 0) return 1;
        this.powNonce = at + 1;
        return 1 + POW_NONCE_SIZE;
      default:
        return 1;
    }
  }

  /** Advances past the length and the parsed fields inside; the rest is read again. */
  private stepNonce(at: number, left: number): number {
    const length = readLooseVarint(this.bytes, at + 1, this.end);
    const isWhole = length.size >= 0 && left > length.size + length.value;
    const start = at + 1 + length.size;
    const understood = isWhole ? this.readNonce(start, start + length.value) : 0;
    return 1 + Math.max(length.size, 0) + understood;
  }

  private readNonce(start: number, end: number): number {
    let understood = 0;
    for (let at = start; at < end;) {
      const size = this.readNonceField(at, end, at === start);
      understood += size;
      at += Math.max(size, 1);
    }
    return understood;
  }

  /** The size of a field of a nonce; 0 if the byte is not a tag. */
  private readNonceField(at: number, end: number, isFirst: boolean): number {
    const left = end - at;
    const tag = this.bytes[at];
    if (tag === NonceTag.paymentId && left > 32 && this.paymentId < 0) return this.takePaymentId(at, 32);
    if (isFirst && tag === NonceTag.encryptedPaymentId && left > 8 && this.paymentId < 0) {
      return this.takePaymentId(at, 8);
    }
    if (tag === NonceTag.data && left > 1 && this.data < 0) {
      const length = readLooseVarint(this.bytes, at + 1, end);
      if (length.size < 0 || left < 1 + length.size + length.value) return 0;
      this.data = at + 1 + length.size;
      this.dataSize = length.value;
      return 1 + length.size + length.value;
    }
    return 0;
  }

  private takePaymentId(at: number, size: number): number {
    this.paymentId = at + 1;
    this.paymentIdSize = size;
    return 1 + size;
  }

  /** Advances one byte too few, as the C++ reader does, so the last byte of the root is read again. */
  private stepMergeMining(at: number, left: number): number {
    const length = readLooseVarint(this.bytes, at + 1, this.end);
    if (length.size < 0 || left <= length.size + length.value || length.value < 33) return 1;
    const depthAt = at + 1 + length.size;
    const depth = readLooseVarint(this.bytes, depthAt, this.end);
    if (depth.size < 0 || depthAt + depth.size + 32 > this.end) return 1;
    this.depth = depthAt;
    this.root = depthAt + depth.size;
    return 1 + depth.size + 32;
  }
}

/**
 * Finds the fields that wallets use in the extra at [start, end), without copies: `parseExtraWallet` for scans of many
 * transactions (docs/protocol/transactions.md#wallet-reader-of-extra).
 */
export function findWalletExtra(bytes: Buffer, start = 0, end = bytes.length): WalletExtraPlaces {
  return new WalletExtraSearch(bytes, end).run(start);
}
