/** Invalid bytes or text. The message names the field and never contains the input. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/**
 * Reads the binary format (docs/protocol/encoding.md#binary-format) from front to back. Byte fields are views of the
 * input, not copies: do not write to the input while they are in use; they keep it in memory.
 */
export class BinaryReader {
  readonly buffer: Buffer;
  /** Index of the next byte. */
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.buffer.length - this.offset;
  }

  byte(): number {
    const value = this.buffer[this.offset];
    if (value === undefined) throw new DecodeError('unexpected end of data');
    this.offset++;
    return value;
  }

  /** A view of the next `size` bytes. */
  bytes(size: number): Buffer {
    const end = this.offset + size;
    if (!(end <= this.buffer.length)) throw new DecodeError('unexpected end of data');
    const view = this.buffer.subarray(this.offset, end);
    this.offset = end;
    return view;
  }

  /** A view of 32 bytes. */
  hash(): Buffer {
    return this.bytes(32);
  }

  /**
   * A varint of at most `bits` bits (up to 53) as a number. Rejects a value that is too large, and a last group of zero (not
   * canonical, docs/protocol/encoding.md#varints).
   */
  varintNumber(bits: number): number {
    const { buffer } = this;
    let value = 0;
    let scale = 1;
    for (let shift = 0; ; shift += 7) {
      const group = buffer[this.offset];
      if (group === undefined) throw new DecodeError('unexpected end of data');
      this.offset++;
      if (shift + 7 >= bits && group >= 2 ** (bits - shift)) throw new DecodeError('varint overflow');
      if (group < 0x80) {
        if (group === 0 && shift !== 0) throw new DecodeError('varint is not canonical');
        return value + group * scale;
      }
      value += (group - 0x80) * scale;
      scale *= 0x80;
    }
  }

  /** A varint of at most `bits` bits (up to 64) as a bigint. */
  varint(bits = 64): bigint {
    if (bits <= 53) return BigInt(this.varintNumber(bits));
    const { buffer } = this;
    let low = 0;
    let scale = 1;
    for (let shift = 0; shift < 49; shift += 7) {
      const group = this.byte();
      if (group < 0x80) {
        if (group === 0 && shift !== 0) throw new DecodeError('varint is not canonical');
        return BigInt(low + group * scale);
      }
      low += (group - 0x80) * scale;
      scale *= 0x80;
    }
    let high = 0;
    scale = 1;
    for (let shift = 49; ; shift += 7) {
      const group = buffer[this.offset];
      if (group === undefined) throw new DecodeError('unexpected end of data');
      this.offset++;
      if (shift + 7 >= bits && group >= 2 ** (bits - shift)) throw new DecodeError('varint overflow');
      if (group < 0x80) {
        if (group === 0) throw new DecodeError('varint is not canonical');
        return BigInt(low) + (BigInt(high + group * scale) << 49n);
      }
      high += (group - 0x80) * scale;
      scale *= 0x80;
    }
  }

  /** Reads a count of items of at least `minimumSize` bytes. @throws DecodeError if the rest of the input is shorter */
  count(minimumSize: number, what: string): number {
    const count = this.varintNumber(53);
    if (count * minimumSize > this.remaining) throw new DecodeError(`more ${what} declared than the data can hold`);
    return count;
  }

  /** @throws DecodeError if the input has more than `max` bytes. Call it before decoding. */
  within(max: number): void {
    if (this.buffer.length > max) throw new DecodeError(`${this.buffer.length} bytes are more than ${max}`);
  }

  /** @throws DecodeError for trailing bytes */
  done(): void {
    if (this.remaining !== 0) throw new DecodeError('trailing bytes');
  }
}
