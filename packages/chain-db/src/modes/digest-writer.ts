import { createHash } from 'node:crypto';

const SIZE = 64 * 1024;

/** SHA-256 over numbers of 8 bytes, little-endian, and over bytes of a length that is known from the place. */
export class DigestWriter {
  private readonly hash = createHash('sha256');
  private readonly buffer = Buffer.allocUnsafe(SIZE);
  private end = 0;

  /** A whole number from 0 up to 2^53. */
  number(value: number): void {
    this.makeRoom(8);
    this.buffer.writeUInt32LE(value % 0x1_0000_0000, this.end);
    this.buffer.writeUInt32LE(Math.floor(value / 0x1_0000_0000), this.end + 4);
    this.end += 8;
  }

  /** 32 bits: half a number. */
  word(value: number): void {
    this.makeRoom(4);
    this.buffer.writeUInt32LE(value, this.end);
    this.end += 4;
  }

  bytes(value: Uint8Array): void {
    this.makeRoom(value.length);
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  /** 64 hex characters. */
  finish(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private makeRoom(length: number): void {
    if (this.end + length > SIZE) this.flush();
  }

  private flush(): void {
    this.hash.update(this.buffer.subarray(0, this.end));
    this.end = 0;
  }
}
