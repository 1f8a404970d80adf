import type { ResponseBuffer } from './response-buffer';

const BASE_INPUT_TAG = 0xff;
const KEY_TAG = 0x02;

/**
 * A position in the stored bytes of a transaction. They were validated when they were stored, so only the bounds are checked.
 * All methods throw a RangeError at the end of the bytes.
 */
export class PrefixCursor {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw ended();
    return this.bytes[this.at++] as number;
  }

  /** Skips bytes. @returns the new position */
  skip(count: number): number {
    if (count > this.bytes.length - this.at) throw ended();
    return (this.at += count);
  }

  skipVarint(): void {
    while (this.byte() >= 0x80);
  }

  /** Reads a varint; inexact above 2^53. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const group = this.byte();
      if (group < 0x80) return value + group * scale;
      value += (group - 0x80) * scale;
    }
  }

  /** Reads the varint length of a list whose items have at least one byte. */
  count(): number {
    const count = this.varint();
    if (count > this.bytes.length - this.at) throw ended();
    return count;
  }

  /** Reads a varint of up to 64 bits and writes it in decimal. */
  writeDecimal(out: ResponseBuffer): void {
    const start = this.at;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) out.unsigned(value);
    else out.text(String(wide(this.bytes, start, this.at)));
  }

  /** Writes the varint of up to 64 bits at a position as 8 bytes. */
  writeUint64(start: number, out: ResponseBuffer): void {
    this.at = start;
    const value = this.varint();
    out.uint64(value <= Number.MAX_SAFE_INTEGER ? value : wide(this.bytes, start, this.at));
  }

  /** Reads the tag of an input. @returns whether it spends an output; otherwise it is that of a coinbase */
  isKeyInput(): boolean {
    const tag = this.byte();
    if (tag !== KEY_TAG && tag !== BASE_INPUT_TAG) throw new RangeError(`unknown input type ${tag}`);
    return tag === KEY_TAG;
  }

  /** Skips the tag and the key of an output. @returns the position of the key */
  outputKey(): number {
    const tag = this.byte();
    if (tag !== KEY_TAG) throw new RangeError(`unknown output type ${tag}`);
    const { at } = this;
    this.skip(32);
    return at;
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
