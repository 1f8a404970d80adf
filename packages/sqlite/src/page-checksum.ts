/** The bytes that each page reserves: byte 20 of the header of a file. */
export const PAGE_CHECKSUM_BYTES = 8;

/** Writes the checksum of a database page into its last 8 bytes (docs/protocol/storage.md#page-checksums). */
export function sealPage(page: Buffer): void {
  checksumOf(page).copy(page, page.length - PAGE_CHECKSUM_BYTES);
}

export function fitsChecksum(page: Buffer): boolean {
  return checksumOf(page).equals(page.subarray(page.length - PAGE_CHECKSUM_BYTES));
}

function checksumOf(page: Buffer): Buffer {
  let [first, second] = [0, 0];
  for (let at = 0; at < page.length - PAGE_CHECKSUM_BYTES; at += 8) {
    first = (first + page.readUInt32LE(at) + second) >>> 0;
    second = (second + page.readUInt32LE(at + 4) + first) >>> 0;
  }
  const checksum = Buffer.alloc(PAGE_CHECKSUM_BYTES);
  checksum.writeUInt32LE(first, 0);
  checksum.writeUInt32LE(second, 4);
  return checksum;
}
