import { DecodeError } from '@wrkz/core-types';
import { readFixture, readJsonLines } from '@wrkz/testing/fixtures';
import fc from 'fast-check';
import {
  decodeKv,
  encodeKv,
  kv,
  kvByteItems,
  kvBytes,
  kvObject,
  kvObjects,
  kvPacked,
  type KvItemType,
  type KvSection,
  kvUint32,
  kvUint64,
  type KvValue,
} from '../src';
import { expectBytes, hex, refuses } from './bytes';

/** Size of a Levin header, which precedes the message. */
const FRAME_HEADER = 33;
const HEADER = '011101010101020101';

/** A message in the format of the recordings: hex, decimal text for 64-bit numbers, JSON numbers for smaller ones. */
function plain(value: KvValue): unknown {
  switch (value.type) {
    case 'array':
      return value.items.map(plain);
    case 'object':
      return plainSection(value.value);
    case 'string':
      return value.value.toString('hex');
    default:
      return typeof value.value === 'bigint' ? value.value.toString() : value.value;
  }
}

function plainSection(section: KvSection): unknown {
  return Object.fromEntries([...section].map(([name, value]) => [name, plain(value)]));
}

test('every recorded P2P message is unchanged after decoding and encoding', () => {
  const rows = readJsonLines<{ frame: string; decoded: unknown }>('devnet/p2p.jsonl');
  expect(rows).toHaveLength(36);
  for (const row of rows) {
    const body = hex(row.frame).subarray(FRAME_HEADER);
    // The response to an unknown command has an empty body.
    const section = body.length === 0 ? kv.section({}) : decodeKv(body);
    expect(plainSection(section)).toEqual(row.decoded);
    if (body.length > 0) expectBytes(encodeKv(section), body);
  }
});

test('the ping response of the specification', () => {
  const bytes = hex(readFixture('rpc/kv_ping_response.hex').trim());
  expectBytes(encodeKv(kv.section({ status: kv.string('OK'), peer_id: kv.uint64(1n) })), bytes);
  const section = decodeKv(bytes);
  expect(kvBytes(section, 'status')?.toString()).toBe('OK');
  expect(kvUint64(section, 'peer_id')).toBe(1n);
});

const scalar: fc.Arbitrary<KvValue> = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(kv.uint64),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value): KvValue => ({ type: 'int64', value })),
  fc.nat({ max: 0xffff_ffff }).map(kv.uint32),
  fc.nat({ max: 0xffff }).map(kv.uint16),
  fc.nat({ max: 0xff }).map(kv.uint8),
  fc.integer().map((value): KvValue => ({ type: 'int32', value })),
  fc.integer({ min: -0x8000, max: 0x7fff }).map((value): KvValue => ({ type: 'int16', value })),
  fc.integer({ min: -0x80, max: 0x7f }).map((value): KvValue => ({ type: 'int8', value })),
  fc.double({ noNaN: true }).map((value): KvValue => ({ type: 'double', value })),
  fc.boolean().map(kv.bool),
  fc.uint8Array({ maxLength: 70 }).map((value) => kv.string(value)),
);
const name = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const { section } = fc.letrec<{ section: KvSection; value: KvValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    scalar,
    tie('section').map((value): KvValue => ({ type: 'object', value })),
    fc.array(scalar, { minLength: 1, maxLength: 4 }).map((items): KvValue => {
      const of = (items[0] as KvValue).type as KvItemType;
      return { type: 'array', of, items: items.filter((item) => item.type === of) };
    }),
    fc.array(tie('section'), { maxLength: 3 }).map((items): KvValue => ({
      type: 'array',
      of: 'object',
      items: items.map((value) => ({ type: 'object', value })),
    })),
  ),
  section: fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((entries): KvSection => new Map(entries)),
}));

test('any message is unchanged after encoding and decoding', () => {
  fc.assert(
    fc.property(section, (made) => {
      const bytes = encodeKv(made);
      const read = decodeKv(bytes);
      expect(read).toEqual(made);
      expectBytes(encodeKv(read), bytes);
    }),
  );
});

test('a damaged message is rejected or decoded to another message', () => {
  fc.assert(
    fc.property(section, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(), (made, at, change, cut) => {
      const bytes = Buffer.from(encodeKv(made));
      bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ change;
      for (const damaged of [bytes, bytes.subarray(0, cut % bytes.length)]) {
        try {
          decodeKv(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }
    }),
  );
});

test.each([
  ['nothing', '', 'unexpected end of data'],
  ['another header', '011101010101020102' + '00', 'not a key-value message'],
  ['an unknown type', HEADER + '04' + '0161' + '0d' + '00', 'unknown type 13'],
  ['an array of arrays', HEADER + '04' + '0161' + '8d' + '04' + '00', 'unknown type 141'],
  ['trailing bytes', HEADER + '0000', 'trailing bytes'],
  ['more entries than bytes', HEADER + '08' + '0161' + '0801', 'more declared than the data can hold'],
  [
    'more numbers than bytes',
    HEADER + '04' + '0161' + '85' + '08' + '00'.repeat(15),
    'more declared than the data can hold',
  ],
  ['a count of 2^62', HEADER + 'ff'.repeat(8), 'more declared than the data can hold'],
  ['a string beyond the end', HEADER + '04' + '0161' + '0a' + '0c' + '6161', 'unexpected end of data'],
  ['a repeated name', HEADER + '08' + '0161' + '0801' + '0161' + '0801', 'duplicate name in an object'],
])('rejects %s', (_, bytes, message) => {
  expect(() => decodeKv(hex(bytes))).toThrow(message);
  expect(refuses(() => decodeKv(hex(bytes)), DecodeError)).toBe(true);
});

test('nesting and the number of values are limited before anything is allocated', () => {
  const nested = (depth: number): Buffer => hex(HEADER + '0401610c'.repeat(depth) + '00');
  expect(plainSection(decodeKv(nested(15)))).toHaveProperty(Array(15).fill('a').join('.'));
  expect(() => decodeKv(nested(16))).toThrow('objects nested too deep');
  expect(() => decodeKv(nested(1_000_000))).toThrow('objects nested too deep');
  expect(() => decodeKv(nested(3), { maxDepth: 3 })).toThrow('objects nested too deep');

  const count = 10_000_000;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(count * 4 + 2);
  const flood = Buffer.concat([hex(HEADER + '0401618c'), size, Buffer.alloc(count)]);
  const before = process.memoryUsage().heapUsed;
  expect(() => decodeKv(flood)).toThrow('too many values');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
});

test('numbers are written only in their type', () => {
  for (const value of [kv.uint8(256), kv.uint32(-1), kv.uint64(2n ** 64n), { type: 'int8', value: 200 } as KvValue]) {
    expect(() => encodeKv(kv.section({ value }))).toThrow('out of range');
  }
  const mixed: KvValue = { type: 'array', of: 'uint8', items: [kv.uint16(1)] };
  expect(() => encodeKv(kv.section({ mixed }))).toThrow(RangeError);
  expect(() => encodeKv(kv.section({ ['n'.repeat(256)]: kv.bool(true) }))).toThrow(RangeError);
});

test('sizes are encoded with the min number of bytes', () => {
  for (const [length, width] of [
    [63, 1],
    [64, 2],
    [16_383, 2],
    [16_384, 4],
  ] as const) {
    const bytes = encodeKv(kv.section({ a: kv.string(Buffer.alloc(length)) }));
    expect(bytes).toHaveLength(9 + 1 + 3 + width + length);
    expect(kvBytes(decodeKv(bytes), 'a', length)).toHaveLength(length);
  }
});

test('empty arrays and blobs are not written, empty strings and objects are', () => {
  const made = kv.section({
    a: kv.array('string', []),
    b: kv.blob(Buffer.alloc(0)),
    c: kv.string(''),
    d: kv.object({}),
  });
  expect([...made.keys()]).toEqual(['c', 'd']);
});

describe('typed access', () => {
  const made = kv.section({
    narrow: kv.uint8(7),
    negative: { type: 'int8', value: -1 },
    flag: kv.bool(true),
    text: kv.string('text'),
    packed: kv.blob(Buffer.alloc(64, 3)),
    inner: kv.object({ x: kv.uint32(5) }),
    texts: kv.array('string', [kv.string('a'), kv.string('b')]),
    objects: kv.array('object', [kv.object({}), kv.object({ y: kv.bool(false) })]),
  });

  test('reads by name and converts widths', () => {
    expect(kvUint64(made, 'narrow')).toBe(7n);
    expect(kvUint32(made, 'negative')).toBe(0xffff_ffff);
    expect(kvUint32(made, 'negative', 8)).toBe(255);
    expect(kvPacked(made, 'packed', 32)).toHaveLength(2);
    expect(kvUint32(kvObject(made, 'inner') ?? made, 'x')).toBe(5);
    expect(kvByteItems(made, 'texts').map(String)).toEqual(['a', 'b']);
    expect(kvObjects(made, 'objects').map(({ size }) => size)).toEqual([0, 1]);
  });

  test('missing fields are undefined or empty', () => {
    expect([kvUint64(made, '-'), kvUint32(made, '-'), kvBytes(made, '-'), kvObject(made, '-')]).toEqual(
      Array(4).fill(undefined),
    );
    expect([kvPacked(made, '-', 32), kvByteItems(made, '-'), kvObjects(made, '-')]).toEqual([[], [], []]);
  });

  test('rejects other types and sizes', () => {
    const wrong = [
      () => kvUint64(made, 'text'),
      () => kvBytes(made, 'narrow'),
      () => kvBytes(made, 'text', 5),
      () => kvObject(made, 'text'),
      () => kvPacked(made, 'packed', 24),
      () => kvByteItems(made, 'objects'),
      () => kvObjects(made, 'texts'),
      () => kvObjects(made, 'text'),
    ];
    for (const read of wrong) expect(refuses(read, DecodeError)).toBe(true);
  });
});
