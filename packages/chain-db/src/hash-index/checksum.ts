import { crc32 } from 'node:zlib';

/** Bytes of a checksum, which stands behind what it covers. */
export const CHECKSUM_BYTES = 4;

/** CRC-32 of some bytes, big-endian: finds what a disk has flipped, and is no proof against anybody's intent. */
export function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.allocUnsafe(CHECKSUM_BYTES);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/** Whether the last four bytes are the checksum of those before them. */
export function isWhole(bytes: Buffer): boolean {
  const end = bytes.length - CHECKSUM_BYTES;
  return end >= 0 && bytes.readUInt32BE(end) === crc32(bytes.subarray(0, end));
}
