import { createHash } from 'node:crypto';

/** Bytes that are hashed at once. */
const BUFFER_SIZE = 64 * 1024;

/**
 * The state digest: SHA-256 over the rows of the chain's state in chain order, so that two databases have the same chain
 * if and only if their digests are equal. It does not cover page layout, internal ids and alternative blocks.
 */
export class StateDigest {
  private readonly hash = createHash('sha256');
  private readonly buffer = Buffer.allocUnsafe(BUFFER_SIZE);
  private used = 0;

  constructor(network: string) {
    this.add(Buffer.from(`chain state 2 ${network}`, 'utf8'));
  }

  /**
   * Integers as 8 bytes little-endian, bytes with their length before them, so that different records have different encodings.
   */
  add(...parts: readonly (Uint8Array | number | bigint)[]): void {
    for (const part of parts) {
      if (!(part instanceof Uint8Array)) {
        this.addInteger(part);
      } else {
        this.addInteger(part.length);
        this.addBytes(part);
      }
    }
  }

  /** 64 hex characters. */
  finish(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private addInteger(value: number | bigint): void {
    if (this.used + 8 > BUFFER_SIZE) this.flush();
    if (typeof value === 'bigint') {
      this.buffer.writeBigUInt64LE(BigInt.asUintN(64, value), this.used);
    } else {
      this.buffer.writeUInt32LE(value >>> 0, this.used);
      this.buffer.writeInt32LE(Math.floor(value / 2 ** 32), this.used + 4);
    }
    this.used += 8;
  }

  private addBytes(bytes: Uint8Array): void {
    if (this.used + bytes.length > BUFFER_SIZE) this.flush();
    if (bytes.length > BUFFER_SIZE) {
      this.hash.update(bytes);
    } else {
      this.buffer.set(bytes, this.used);
      this.used += bytes.length;
    }
  }

  private flush(): void {
    this.hash.update(this.buffer.subarray(0, this.used));
    this.used = 0;
  }
}
