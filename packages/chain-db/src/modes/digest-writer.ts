import { createHash } from 'node:crypto';

const BUFFER_BYTES = 64 * 1024;

/** Buffered SHA-256 over little-endian numbers and byte strings. Byte strings have no length prefix: each position has a fixed length. */
export class DigestWriter {
  private readonly hash = createHash('sha256');
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private end = 0;

  /** 8 bytes. @param value an integer from 0 to 2^53 */
  number(value: number): void {
    this.reserve(8);
    this.buffer.writeUInt32LE(value % 0x1_0000_0000, this.end);
    this.buffer.writeUInt32LE(Math.floor(value / 0x1_0000_0000), this.end + 4);
    this.end += 8;
  }

  /** 4 bytes. */
  word(value: number): void {
    this.reserve(4);
    this.buffer.writeUInt32LE(value, this.end);
    this.end += 4;
  }

  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  /** 64 hex characters. */
  finish(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private reserve(length: number): void {
    if (this.end + length > BUFFER_BYTES) this.flush();
  }

  private flush(): void {
    this.hash.update(this.buffer.subarray(0, this.end));
    this.end = 0;
  }
}
