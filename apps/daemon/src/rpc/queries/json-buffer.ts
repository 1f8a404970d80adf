const ZERO = 0x30;
const HEX = Buffer.from('0123456789abcdef', 'latin1');
/** Below so many bytes the digits are written here; a call into Node.js costs more. */
const SHORT = 128;
/** Digits that are written at once: their number fits the integers that a processor divides quickly. */
const GROUP = 1e8;

const FIRST_SIZE = 64 * 1024;
const LARGEST_SPARE = 1024 * 1024;

/** What the last answer was written into: fresh memory for each would cost more than the copy out of it. */
let spare: Buffer | undefined;

/** A constant piece of JSON for {@link JsonBuffer.put}; ASCII. */
export function piece(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** JSON written straight as bytes: strings of a large answer would be copied four times on their way to the socket. */
export class JsonBuffer {
  #bytes: Buffer;
  #length = 0;

  constructor() {
    this.#bytes = spare ?? Buffer.allocUnsafeSlow(FIRST_SIZE);
    spare = undefined;
  }

  get length(): number {
    return this.#length;
  }

  /** Everything, in memory of its own. Nothing may be written afterwards. */
  finish(): Buffer {
    const answer = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(answer, 0, 0, this.#length);
    if (this.#bytes.length <= LARGEST_SPARE) spare = this.#bytes;
    this.#bytes = answer;
    return answer;
  }

  /** Takes back what stands behind a length it had before. */
  truncate(length: number): void {
    this.#length = length;
  }

  put(bytes: Uint8Array): this {
    const to = this.reserve(bytes.length);
    let at = this.#length;
    for (let i = 0; i < bytes.length; i++) to[at++] = bytes[i] as number;
    this.#length = at;
    return this;
  }

  /** ASCII as it stands. */
  text(ascii: string): this {
    this.#length += this.reserve(ascii.length).write(ascii, this.#length, 'latin1');
    return this;
  }

  /** The bytes [start, end) in lower-case hex. */
  hex(bytes: Buffer, start = 0, end = bytes.length): this {
    const to = this.reserve(2 * (end - start));
    if (end - start > SHORT) return this.text(bytes.toString('hex', start, end));
    let at = this.#length;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      to[at++] = HEX[byte >> 4] as number;
      to[at++] = HEX[byte & 15] as number;
    }
    this.#length = at;
    return this;
  }

  base64(bytes: Buffer, start = 0, end = bytes.length): this {
    return this.text(bytes.toString('base64', start, end));
  }

  /** A number that is no less than 0 and exact (2^53 - 1 at most), in decimal. */
  unsigned(value: number): this {
    if (value < GROUP) return this.group(value, digitsOf(value));
    const high = Math.floor(value / GROUP);
    return this.unsigned(high).group(value - high * GROUP, 8);
  }

  private group(value: number, digits: number): this {
    const to = this.reserve(digits);
    const end = this.#length + digits;
    let left = value | 0;
    for (let at = end - 1; at >= this.#length; at--) {
      const next = (left / 10) | 0;
      to[at] = ZERO + left - next * 10;
      left = next;
    }
    this.#length = end;
    return this;
  }

  /** The bytes to write to, with so many free. */
  private reserve(count: number): Buffer {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return this.#bytes;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    return (this.#bytes = larger);
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}
