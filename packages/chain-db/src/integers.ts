/** How integers cross into SQLite and back, and the packing of global indexes. */

/** An unsigned 64-bit value as SQLite's signed 64 bits. */
export function toSigned(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** The unsigned 64-bit value behind SQLite's signed 64 bits. */
export function toUnsigned(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** Global indexes (unsigned 32-bit) as a run of unsigned LEB128 groups; an empty list gives no bytes. */
export function packIndexes(indexes: readonly number[]): Buffer {
  const bytes: number[] = [];
  for (const index of indexes) {
    let rest = index;
    while (rest >= 0x80) {
      bytes.push((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 128);
    }
    bytes.push(rest);
  }
  return Buffer.from(bytes);
}

/** The list behind {@link packIndexes}; undefined when the bytes end inside a group or exceed 32 bits. */
export function unpackIndexes(bytes: Uint8Array): number[] | undefined {
  const indexes: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte & 0x7f) * scale;
    if (value > 0xffffffff) return undefined;
    if (byte & 0x80) {
      scale *= 128;
    } else {
      indexes.push(value);
      value = 0;
      scale = 1;
    }
  }
  return scale === 1 ? indexes : undefined;
}
