import { createHash } from 'node:crypto';

/** Fingerprints are below this: 40 bits. */
export const FINGERPRINT_LIMIT = 2 ** 40;

const HASH_BYTES = 32;
const VALUES = 256;

/**
 * Short fingerprints of 32-byte hashes by tabulation: for each position a table of 256 random words, of which one a byte is
 * chosen and all are joined by XOR. The tables follow from a secret of the database, because not everything that is looked
 * up is a hash: in the checkpoint zone key images are any bytes, and whoever chose many with one fingerprint would make
 * each look-up read many rows.
 */
export class Fingerprints {
  private readonly low = new Uint32Array(HASH_BYTES * VALUES);
  private readonly high = new Uint8Array(HASH_BYTES * VALUES);

  constructor(seed: Uint8Array) {
    const words = this.low.length;
    const random = createHash('shake256', { outputLength: words * 5 })
      .update(seed)
      .digest();
    for (let i = 0; i < words; i++) {
      this.low[i] = random.readUInt32LE(i * 4);
      this.high[i] = random[words * 4 + i] as number;
    }
  }

  /** 0 to 2^40 - 1. @param hash 32 bytes */
  of(hash: Uint8Array): number {
    let low = 0;
    let high = 0;
    for (let i = 0; i < HASH_BYTES; i++) {
      const place = i * VALUES + (hash[i] as number);
      low ^= this.low[place] as number;
      high ^= this.high[place] as number;
    }
    return high * 2 ** 32 + (low >>> 0);
  }
}
