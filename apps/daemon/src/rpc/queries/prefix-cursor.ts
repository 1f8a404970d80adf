import type { JsonBuffer } from './json-buffer';

/**
 * A place in stored bytes of a transaction. They were checked when they were stored, so it is only made sure that reading
 * stays within them. Everything throws a RangeError where it would not.
 */
export class PrefixCursor {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw ended();
    return this.bytes[this.at++] as number;
  }

  /** Goes on by so many bytes, and says where that leads. */
  skip(count: number): number {
    if (count > this.bytes.length - this.at) throw ended();
    return (this.at += count);
  }

  skipVarint(): void {
    while (this.byte() >= 0x80);
  }

  /** A varint; inexact above 2^53. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const group = this.byte();
      if (group < 0x80) return value + group * scale;
      value += (group - 0x80) * scale;
    }
  }

  /** A varint that counts what takes a byte each, at least. */
  count(): number {
    const count = this.varint();
    if (count > this.bytes.length - this.at) throw ended();
    return count;
  }

  /** Reads a varint of up to 64 bits and writes it in decimal. */
  writeVarint(out: JsonBuffer): void {
    const start = this.at;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) out.unsigned(value);
    else out.text(String(wide(this.bytes, start, this.at)));
  }
}

function wide(bytes: Buffer, start: number, end: number): bigint {
  let value = 0n;
  for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt((bytes[at] as number) & 0x7f);
  return value;
}

function ended(): RangeError {
  return new RangeError('unexpected end of data');
}
