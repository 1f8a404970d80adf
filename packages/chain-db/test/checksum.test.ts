import fc from 'fast-check';
import { addBigInt, addBytes, addNumber, addWord, startChecksum } from '../src/checksum';

const start = startChecksum(7);

test.each([0, 1, 3, 4, 31, 32, 63, 64, 65, 700, 9000])('any flipped bit of %i bytes changes the checksum', (size) => {
  const bytes = Buffer.from(Array.from({ length: size }, (_, i) => i * 37));
  const sum = addBytes(start, bytes);
  for (let bit = 0; bit < size * 8; bit += size > 1000 ? 61 : 1) {
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    expect(addBytes(start, bytes)).not.toBe(sum);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
  }
  expect(addBytes(start, bytes)).toBe(sum);
});

test('what was added before matters, whatever comes after', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), fc.uint8Array({ maxLength: 200 }), (one, other, bytes) => {
      fc.pre(one !== other);
      expect(addBytes(addNumber(start, one), bytes)).not.toBe(addBytes(addNumber(start, other), bytes));
    }),
  );
});

test('a number is the same as a bigint, of either sign', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(addNumber(start, value)).toBe(addBigInt(start, BigInt(value)));
    }),
  );
});

test('the 64 bits of a bigint are its unsigned and its signed reading, and its two halves', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (value) => {
      const sum = addBigInt(start, value);
      expect(addBigInt(start, BigInt.asIntN(64, value))).toBe(sum);
      expect(addWord(addWord(start, Number(value & 0xffffffffn)), Number(value >> 32n))).toBe(sum);
    }),
  );
});

test('a column of another type is another value', () => {
  for (const other of [null, '', '0', Buffer.alloc(0)]) {
    expect(addNumber(start, other as unknown as number)).not.toBe(addNumber(start, 0));
    expect(addWord(start, other as unknown as number)).not.toBe(addWord(start, 0));
  }
  for (const other of [null, '', 0]) {
    expect(addBytes(start, other as unknown as Buffer)).not.toBe(addBytes(start, Buffer.alloc(0)));
  }
});

test('the sums that stand in files', () => {
  expect(addNumber(startChecksum(1), 720)).toBe(347891018);
  expect(addBytes(startChecksum(1), Buffer.from('abc'))).toBe(-340167908);
  expect(addBytes(startChecksum(1), Buffer.alloc(100, 5))).toBe(351634858);
});
