/** Encodes global indexes (unsigned 32 bits) as unsigned LEB128; an empty list has no bytes. */
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

/** Decodes {@link packIndexes}; undefined for an incomplete value or more than 32 bits. */
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
