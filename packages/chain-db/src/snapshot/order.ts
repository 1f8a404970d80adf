/**
 * The numbers 0 to `count` - 1 in the order of their four bytes, lowest byte first: keys of a snapshot hold little-endian
 * numbers and are sorted as bytes (docs/protocol/snapshot.md#records).
 * @param count at most 2^32
 */
export function* littleEndianOrder(count: number): Generator<number, void> {
  for (let first = 0; first < 0x100 && first < count; first++) {
    for (let second = first; second < 0x1_0000 && second < count; second += 0x100) {
      for (let third = second; third < 0x100_0000 && third < count; third += 0x1_0000) {
        for (let value = third; value < count; value += 0x100_0000) yield value;
      }
    }
  }
}

/** Unsigned numbers of 64 bits, in the same order. */
export function sortLittleEndian(values: readonly bigint[]): bigint[] {
  const bytes = values.map((value) => {
    const key = Buffer.alloc(8);
    key.writeBigUInt64LE(value);
    return key;
  });
  return bytes.sort((a, b) => a.compare(b)).map((key) => key.readBigUInt64LE());
}
