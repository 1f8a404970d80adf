const ZERO = 0x30;
const HEX = Buffer.from('0123456789abcdef', 'latin1');
/** Up to this number of bytes a loop is faster than a call into Node.js. */
const MAX_LOOP_BYTES = 128;
/** Numbers below it are 32-bit integers, which a processor divides quickly. */
const GROUP = 1e8;

const INITIAL_SIZE = 64 * 1024;
const MAX_SPARE_SIZE = 1024 * 1024;

/** The memory of the last response, used again: the copy in `finish` is cheaper than new memory. */
let spare: Buffer | undefined;

/** A constant piece of JSON for {@link ResponseBuffer.put}; ASCII. */
export function piece(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** A writer of responses as bytes: a large response as a string would be copied four times on its way to the socket. */
export class ResponseBuffer {
  private content: Buffer;
  private size = 0;

  constructor() {
    this.content = spare ?? Buffer.allocUnsafeSlow(INITIAL_SIZE);
    spare = undefined;
  }

  get length(): number {
    return this.size;
  }

  /** A copy of all bytes. Nothing may be written afterwards. */
  finish(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.size);
    this.content.copy(bytes, 0, 0, this.size);
    if (this.content.length <= MAX_SPARE_SIZE) spare = this.content;
    this.content = bytes;
    return bytes;
  }

  /** Removes the bytes after an earlier length. */
  truncate(length: number): void {
    this.size = length;
  }

  put(bytes: Uint8Array): this {
    const to = this.reserve(bytes.length);
    let at = this.size;
    for (let i = 0; i < bytes.length; i++) to[at++] = bytes[i] as number;
    this.size = at;
    return this;
  }

  /** Writes ASCII. */
  text(ascii: string): this {
    this.size += this.reserve(ascii.length).write(ascii, this.size, 'latin1');
    return this;
  }

  /** Writes the bytes [start, end) in lower-case hex. */
  hex(bytes: Buffer, start = 0, end = bytes.length): this {
    const to = this.reserve(2 * (end - start));
    if (end - start > MAX_LOOP_BYTES) return this.text(bytes.toString('hex', start, end));
    let at = this.size;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      to[at++] = HEX[byte >> 4] as number;
      to[at++] = HEX[byte & 15] as number;
    }
    this.size = at;
    return this;
  }

  bytes(bytes: Buffer, start = 0, end = bytes.length): this {
    bytes.copy(this.reserve(end - start), this.size, start, end);
    this.size += end - start;
    return this;
  }

  /** Writes 4 bytes, little-endian. */
  uint32(value: number): this {
    this.size = this.reserve(4).writeUInt32LE(value, this.size);
    return this;
  }

  /** Writes 4 bytes at a position that was written before. */
  setUint32(at: number, value: number): void {
    this.content.writeUInt32LE(value, at);
  }

  /** Writes 8 bytes, little-endian. */
  uint64(value: number | bigint): this {
    if (typeof value === 'bigint') {
      this.size = this.reserve(8).writeBigUInt64LE(value, this.size);
      return this;
    }
    return this.uint32(value >>> 0).uint32(Math.floor(value / 2 ** 32));
  }

  base64(bytes: Buffer, start = 0, end = bytes.length): this {
    return this.text(bytes.toString('base64', start, end));
  }

  /** Writes an integer from 0 to 2^53 - 1 in decimal. */
  unsigned(value: number): this {
    if (value < GROUP) return this.group(value, digitsOf(value));
    const high = Math.floor(value / GROUP);
    return this.unsigned(high).group(value - high * GROUP, 8);
  }

  private group(value: number, digits: number): this {
    const to = this.reserve(digits);
    const end = this.size + digits;
    let left = value | 0;
    for (let at = end - 1; at >= this.size; at--) {
      const next = (left / 10) | 0;
      to[at] = ZERO + left - next * 10;
      left = next;
    }
    this.size = end;
    return this;
  }

  /** Makes space for `count` more bytes. @returns the buffer to write to */
  private reserve(count: number): Buffer {
    const needed = this.size + count;
    if (needed <= this.content.length) return this.content;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.content.length));
    this.content.copy(larger, 0, 0, this.size);
    return (this.content = larger);
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}
