import { createHash } from 'node:crypto';
import { lowerBound } from '@wrkz/core-types';

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

/**
 * Entries are 64-bit integers in ascending order: 34 bits of fingerprint above 30 bits of row id. Each has two words, the
 * lower one first (little-endian, as all supported processors).
 */
export type Entries = ArrayLike<number>;
export const ID_LIMIT = 2 ** 30;

/** With 12 bits per entry and seven probes, the false positive rate of a Bloom filter is 1/300. */
export const BITS_PER_ENTRY = 12;
const PROBES = 7;

export function entryOf(fingerprint: number, id: number): [low: number, high: number] {
  return [(fingerprint % 4) * ID_LIMIT + id, Math.floor(fingerprint / 4)];
}

/** NaN outside of the entries. */
export function fingerprintAt(entries: Entries, index: number): number {
  return (entries[index * 2 + 1] as number) * 4 + ((entries[index * 2] as number) >>> 30);
}

export function sortEntries(inputs: readonly Entries[]): Uint32Array {
  const sorted = new Uint32Array(inputs.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const input of inputs) sorted.set(input, (end += input.length) - input.length);
  new BigUint64Array(sorted.buffer).sort();
  return sorted;
}

/** Index of the first entry whose fingerprint is not below `fingerprint`. */
export function firstIndex(entries: Entries, fingerprint: number): number {
  return lowerBound(0, entries.length / 2, (index) => fingerprintAt(entries, index) < fingerprint);
}

export function idsOf(entries: Entries, fingerprint: number): number[] {
  const ids: number[] = [];
  let i = firstIndex(entries, fingerprint);
  for (; fingerprintAt(entries, i) === fingerprint; i++) ids.push((entries[i * 2] as number) % ID_LIMIT);
  return ids;
}

/** Tests a Bloom filter, or adds to it. Double hashing of the lower 32 bits: the entries of a page share the upper bits. */
export function mayContain(filter: Buffer, fingerprint: number, isAdded = false): boolean {
  const low = fingerprint >>> 0;
  const step = Math.imul(low ^ (low >>> 13), 0x297a2d39) | 1;
  let hash = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d);
  for (let i = 0; i < PROBES; i++, hash = (hash + step) | 0) {
    const bit = (hash >>> 0) % (filter.length * 8);
    const byte = filter[bit >>> 3] as number;
    if (isAdded) filter[bit >>> 3] = byte | (1 << (bit & 7));
    else if ((byte & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
