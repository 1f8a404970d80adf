import { crc32 } from 'node:zlib';

/** Bytes of a checksum, which stands behind what it covers. */
export const CHECKSUM_BYTES = 4;

/**
 * CRC-32 of a row's key and some bytes, big-endian: finds what a disk has flipped, and rows that stand under another key; it
 * is no proof against anybody's intent.
 */
export function checksum(bytes: Uint8Array, key: number): Buffer {
  const sum = Buffer.allocUnsafe(CHECKSUM_BYTES);
  sum.writeUInt32BE(crc32(bytes, crcOfKey(key)));
  return sum;
}

/** Whether the last four bytes are the checksum of those before them, in the row with this key. */
export function isWhole(bytes: Buffer, key: number): boolean {
  const end = bytes.length - CHECKSUM_BYTES;
  return end >= 0 && bytes.readUInt32BE(end) === crc32(bytes.subarray(0, end), crcOfKey(key));
}

const keyBytes = Buffer.alloc(8);

function crcOfKey(key: number): number {
  keyBytes.writeUInt32BE(Math.floor(key / 2 ** 32), 0);
  keyBytes.writeUInt32BE(key >>> 0, 4);
  return crc32(keyBytes);
}
