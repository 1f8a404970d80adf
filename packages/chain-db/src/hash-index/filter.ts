import { CHECKSUM_BYTES, checksum } from './checksum';
import type { Entries } from './page';

/**
 * Sixteen bits an entry and eight probes let 1 of 1,700 misses through, each of which reads a page for nothing. Runs grow in
 * number with the chain: at twelve bits and 1.2 million blocks these reads were a quarter of the time of an append. The size
 * follows from a filter's length, so those of fewer bits stay good.
 */
const BITS_PER_ENTRY = 16;
const PROBES = 8;

/** A Bloom filter of entries `from` to `end`, which stand in the row `page`, as stored: its bits, a checksum behind them. */
export function encodeFilter(page: number, { fingerprints }: Entries, from: number, end: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil(((end - from) * BITS_PER_ENTRY) / 8));
  const size = bytes.length * 8;
  for (let i = from; i < end; i++) {
    const fingerprint = fingerprints[i] as number;
    let place = start(fingerprint);
    const step = stride(fingerprint);
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = place % size;
      (bytes[bit >>> 3] as number) |= 1 << (bit & 7);
      place = (place + step) >>> 0;
    }
  }
  return Buffer.concat([bytes, checksum(bytes, page)]);
}

/** False when the page of this filter surely has no entry of the fingerprint. */
export function mayHold(filter: Buffer, fingerprint: number): boolean {
  const size = (filter.length - CHECKSUM_BYTES) * 8;
  if (size === 0) return false;
  let place = start(fingerprint);
  const step = stride(fingerprint);
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = place % size;
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false;
    place = (place + step) >>> 0;
  }
  return true;
}

// The entries of a page share the upper bits of their fingerprints; the lower 32 tell them apart.
function start(fingerprint: number): number {
  const low = fingerprint >>> 0;
  return Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) >>> 0;
}

function stride(fingerprint: number): number {
  const low = fingerprint >>> 0;
  return (Math.imul(low ^ (low >>> 13), 0x297a2d39) | 1) >>> 0;
}
