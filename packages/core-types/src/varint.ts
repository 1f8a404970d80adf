import { MAX_UINT64 } from '@wrkz/crypto';

/**
 * Unsigned LEB128, the integer of the binary format: groups of 7 bits, lowest first, the high bit set on all but the
 * last. Reading is in reader.ts.
 */

export { MAX_UINT64 };

/** Encoded bytes of a value, 1 to 10. `value` is 0 to 2^64 - 1 (as a number: a safe integer). */
export function varintSize(value: bigint | number): number {
  let size = 1;
  if (typeof value === 'number') {
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    return size;
  }
  for (let rest = value; rest >= 0x80n; rest >>= 7n) size++;
  return size;
}

/** Writes a value at `offset` and returns the next offset. The caller ensures that it fits. */
export function writeVarint(target: Uint8Array, value: bigint | number, offset: number): number {
  let position = offset;
  let low: number;
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an unsigned integer: ${value}`);
    low = value;
  } else {
    if (value < 0n || value > MAX_UINT64) throw new RangeError(`not an unsigned 64-bit integer: ${value}`);
    let rest = value;
    while (rest > 0x1f_ffff_ffff_ffffn) {
      target[position++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    low = Number(rest);
  }
  while (low >= 0x80) {
    target[position++] = (low % 0x80) | 0x80;
    low = Math.floor(low / 0x80);
  }
  target[position++] = low;
  return position;
}

/** The bytes of a value, 0 to 2^64 - 1. */
export function encodeVarint(value: bigint | number): Buffer {
  const bytes = Buffer.allocUnsafe(10);
  return bytes.subarray(0, writeVarint(bytes, value, 0));
}
