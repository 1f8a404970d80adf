import { writeVarint } from './varint';

/** Writes the binary format into a growing buffer. */
export class BinaryWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(expectedSize = 512) {
    this.buffer = Buffer.allocUnsafe(Math.max(expectedSize, 32));
  }

  byte(value: number): this {
    this.reserve(1);
    this.buffer[this.length++] = value;
    return this;
  }

  varint(value: bigint | number): this {
    this.reserve(10);
    this.length = writeVarint(this.buffer, value, this.length);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.reserve(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** Exactly 32 bytes. */
  hash(value: Uint8Array): this {
    if (value.length !== 32) throw new RangeError(`expected 32 bytes, got ${value.length}`);
    return this.bytes(value);
  }

  /** Unsigned 32-bit, little-endian. */
  uint32(value: number): this {
    this.reserve(4);
    this.length = this.buffer.writeUInt32LE(value, this.length);
    return this;
  }

  /** All written bytes. Do not use the writer afterwards. */
  toBuffer(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(size: number): void {
    if (this.length + size <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + size));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}
