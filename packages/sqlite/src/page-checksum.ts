/** Byte 20 of the header of a file. */
export const CHECKSUM_BYTES = 8;

/** Writes the checksum of a database page into its last 8 bytes (docs/protocol/storage.md#page-checksums). */
export function sealPage(page: Buffer): void {
  let [first, second] = [0, 0];
  const end = page.length - CHECKSUM_BYTES;
  for (let at = 0; at < end; at += 8) {
    first = (first + page.readUInt32LE(at) + second) >>> 0;
    second = (second + page.readUInt32LE(at + 4) + first) >>> 0;
  }
  page.writeUInt32LE(first, end);
  page.writeUInt32LE(second, end + 4);
}

export function fitsPageChecksum(page: Buffer): boolean {
  const sealed = Buffer.from(page);
  sealPage(sealed);
  return sealed.equals(page);
}
