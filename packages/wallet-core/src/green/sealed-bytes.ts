import { DecodeError } from '@wrkz/core-types';

/**
 * Reads the array of numbers that the sealed cache is: each byte is a varint of its own, so that one of 128 and more takes
 * two bytes. Pieces may end anywhere.
 */
export class SealedBytes {
  /** The first half of a byte whose second half has not come yet. */
  private half: number | undefined;

  /** @param left bytes that the array still holds */
  constructor(private left: number) {}

  get isDone(): boolean {
    return this.left === 0;
  }

  /** The bytes of a piece of the array; what lies behind its end is left alone. @throws DecodeError */
  take(raw: Buffer): Buffer {
    const bytes = Buffer.allocUnsafeSlow(Math.min(raw.length, this.left));
    let length = 0;
    for (let i = 0; i < raw.length && length < this.left; i++) {
      const byte = raw[i] as number;
      if (this.half !== undefined) {
        // Bit 7 is all that is left to be told.
        if (byte !== 1) throw new DecodeError('a number of the sealed array is no byte');
        bytes[length++] = this.half;
        this.half = undefined;
      } else if (byte < 0x80) bytes[length++] = byte;
      else this.half = byte;
    }
    this.left -= length;
    return bytes.subarray(0, length);
  }
}
