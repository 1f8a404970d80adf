import { lowerBound } from '@wrkz/core-types';

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
