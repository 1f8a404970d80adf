import { crc32 } from 'node:zlib';

/**
 * Running 32-bit checksums over the columns of a row. Each step is a bijection of the state, for every value that is
 * added, and of the value, for every state; so any change within one word, and any flipped bit anywhere, changes the result,
 * and other damage goes unnoticed once in four billion.
 *
 * Numbers and short blobs are mixed here (the step of MurmurHash3: some 2 ns a word); longer blobs go through zlib's
 * CRC-32, started with the state (4 to 5 GB a second, but 0.1 us a call). It guards against disks, not against people.
 */
export type Checksum = number;

/** Above this many bytes the call into zlib is the cheaper one. */
const SHORT = 64;

/** What a checksum of a table begins with, so that a row does not pass for one of another table. */
export function startChecksum(table: number): Checksum {
  return mix(0, table);
}

/** Adds 32 bits. */
export function mix(state: Checksum, word: number): Checksum {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const h = state ^ Math.imul(k, 0x1b873593);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/** Adds a safe integer, as 64 bits in two's complement. */
export function addNumber(state: Checksum, value: number): Checksum {
  return mix(mix(state, value | 0), Math.floor(value / 0x1_0000_0000) | 0);
}

/** Adds 64 bits of a bigint of either sign: equal to {@link addNumber} for what both can hold. */
export function addBigInt(state: Checksum, value: bigint): Checksum {
  return mix(mix(state, Number(value & 0xffff_ffffn) | 0), Number((value >> 32n) & 0xffff_ffffn) | 0);
}

/** Adds a blob with its length. */
export function addBytes(state: Checksum, bytes: Uint8Array): Checksum {
  const { length } = bytes;
  let h = mix(state, length);
  if (length > SHORT) return crc32(bytes, h >>> 0) | 0;
  const whole = length & ~3;
  let i = 0;
  for (; i < whole; i += 4) {
    h = mix(h, at(bytes, i) | (at(bytes, i + 1) << 8) | (at(bytes, i + 2) << 16) | (at(bytes, i + 3) << 24));
  }
  for (; i < length; i++) h = mix(h, at(bytes, i));
  return h;
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}
