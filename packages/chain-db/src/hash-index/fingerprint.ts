import { createHash } from 'node:crypto';

/** Fingerprints have 34 bits. */
export const FINGERPRINT_LIMIT = 2 ** 34;

/**
 * Fingerprints of 32-byte hashes by tabulation hashing. The table is derived from a secret seed of the database: in the
 * checkpoint zone a key image may be any bytes, and an attacker must not be able to create many with the same fingerprint.
 */
export class Fingerprints {
  /** For each position and byte value two words: the lower 32 bits and the upper bits. */
  private readonly table: Uint32Array;

  constructor(seed: Buffer) {
    const random = createHash('shake256', { outputLength: 2 ** 16 });
    const bytes = random.update(seed).digest();
    this.table = Uint32Array.from({ length: 2 ** 14 }, (_, i) => bytes.readUInt32LE(i * 4));
  }

  of(hash: Uint8Array): number {
    let [low, high] = [0, 0];
    for (let i = 0; i < 32; i++) {
      const word = (i * 256 + (hash[i] as number)) * 2;
      low ^= this.table[word] as number;
      high ^= this.table[word + 1] as number;
    }
    return (high & 3) * 2 ** 32 + (low >>> 0);
  }
}
