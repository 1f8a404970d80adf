import fc from 'fast-check';
import { readJsonLines } from '@wrkz/testing/fixtures';
import { BinaryReader, BinaryWriter, DecodeError, encodeVarint, varintSize } from '../src';
import { hex, readSections } from './recorded';

type ReadResult = { error: string } | { remaining: number; value: string };
type Row =
  | { op: 'encode'; hex: string; value: string }
  | { op: 'read'; hex: string; uint8: ReadResult; uint16: ReadResult; uint32: ReadResult; uint64: ReadResult };

/** Our error messages, by those of the reference. */
const reasons: Record<string, string> = {
  'readVarint, value overflow': 'varint overflow',
  'readVarint, invalid value representation': 'varint is not canonical',
  'Failed to read from IInputStream': 'unexpected end of data',
};

function read(bytes: Buffer, bits: number, as: 'bigint' | 'number'): unknown {
  const reader = new BinaryReader(bytes);
  try {
    const value = as === 'bigint' ? reader.varint(bits) : reader.varintNumber(bits);
    return { remaining: reader.remaining, value: value.toString() };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { error: error.message };
  }
}

function expected(result: ReadResult): unknown {
  if (!('error' in result)) return result;
  return { error: reasons[result.error] ?? `no message for: ${result.error}` };
}

describe('recorded varints', () => {
  const rows = readJsonLines<Row>('vectors/varint.jsonl');

  test('are encoded', () => {
    for (const row of rows) {
      if (row.op !== 'encode') continue;
      expect(encodeVarint(BigInt(row.value)).toString('hex')).toBe(row.hex);
      expect(varintSize(BigInt(row.value))).toBe(row.hex.length / 2);
      const number = Number(row.value);
      if (!Number.isSafeInteger(number)) continue;
      expect(encodeVarint(number).toString('hex')).toBe(row.hex);
      expect(varintSize(number)).toBe(row.hex.length / 2);
    }
  });

  test('are decoded or rejected for every width', () => {
    for (const row of rows) {
      if (row.op !== 'read') continue;
      for (const bits of [8, 16, 32, 64] as const) {
        expect(read(hex(row.hex), bits, 'bigint')).toEqual(expected(row[`uint${bits}`]));
        if (bits < 64) expect(read(hex(row.hex), bits, 'number')).toEqual(expected(row[`uint${bits}`]));
      }
    }
  });

  test('of the primitives file are reproduced', () => {
    for (const [name, value] of readSections('mainnet/primitives.txt').get('varint') ?? []) {
      const number = /^varint\((\d+)\)$/.exec(name)?.[1];
      expect(encodeVarint(BigInt(number ?? -1)).toString('hex')).toBe(value);
    }
  });
});

test('any number is unchanged after encoding and decoding', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat({ max: 64 }), (wide, bits) => {
      const value = BigInt.asUintN(bits, wide);
      const reader = new BinaryReader(encodeVarint(value));
      expect(reader.varint()).toBe(value);
      reader.done();
    }),
  );
});

test('numbers outside of 64 bits are rejected', () => {
  for (const value of [-1, 0.5, NaN, 2 ** 53, -1n, 2n ** 64n]) expect(() => encodeVarint(value)).toThrow(RangeError);
});

test('a writer grows beyond its initial size', () => {
  const writer = new BinaryWriter(1);
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => i & 0xff));
  for (const byte of bytes) writer.byte(byte);
  expect(writer.bytes(bytes).toBuffer()).toEqual(Buffer.concat([bytes, bytes]));
  expect(() => new BinaryWriter().hash(Buffer.alloc(31))).toThrow(RangeError);
});
