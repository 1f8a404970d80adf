import { encodeKv, kv } from '@wrkz/levin';
import fc from 'fast-check';
import {
  BLOCK_KEY,
  BLOCK_VALUE,
  decodeRecord,
  encodeRecord,
  IMAGE_KEY,
  IMAGE_VALUE,
  littleEndianOrder,
  OUTPUT_KEY,
  OUTPUT_VALUE,
  type SnapshotOutput,
  sortLittleEndian,
} from '../../src/snapshot/records';

/* Records are compared with the documented offsets, and with documents of the key-value encoder for peers. */

const HASH = Buffer.alloc(32, 0xab);
const KEY = Buffer.alloc(32, 0xcd);
type Fields = Parameters<typeof kv.section>[0];
const document = (fields: Fields): Buffer => encodeKv(kv.section(fields));
const keyOf = (letter: string, second: Fields[string]): Buffer =>
  document({ [letter]: kv.object({ first: kv.string(letter), second }) });

const block = {
  height: 0x01020304,
  hash: HASH,
  timestamp: 1_530_000_000n,
  size: 77_777,
  cumulativeDifficulty: 2n ** 63n + 5n,
  generatedCoins: 2n ** 60n,
  generatedTransactions: 123_456n,
};
const output: SnapshotOutput = {
  amount: 100_000n,
  index: 0x01020304,
  key: KEY,
  unlockTime: 2n ** 64n - 1n,
  position: 513,
  height: 70_000,
};

test('fields are at the documented offsets', () => {
  expect([BLOCK_KEY, IMAGE_KEY, OUTPUT_KEY].map(({ length }) => length)).toEqual([35, 64, 59]);
  expect([BLOCK_VALUE, IMAGE_VALUE, OUTPUT_VALUE].map(({ length }) => length)).toEqual([203, 17, 164]);
  const places = [BLOCK_KEY, IMAGE_KEY, OUTPUT_KEY, BLOCK_VALUE, IMAGE_VALUE, OUTPUT_VALUE].map(({ slots }) =>
    Object.values(slots).map(({ start, end }) => `${start}-${end}`),
  );
  expect(places).toEqual([
    ['31-35'],
    ['32-64'],
    ['39-47', '55-59'],
    ['27-59', '70-78', '90-94', '117-125', '150-158', '195-203'],
    ['13-17'],
    ['27-59', '78-110', '123-131', '145-147', '160-164'],
  ]);
});

test('a block info record is the document that the C++ node stores', () => {
  const { key, value } = encodeRecord({ table: 'block', block });
  expect(key).toEqual(keyOf('6', kv.uint32(block.height)));
  expect(value).toEqual(
    document({
      6: kv.object({
        block_hash: kv.string(HASH),
        timestamp: kv.uint64(block.timestamp),
        block_size: kv.uint32(block.size),
        cumulative_difficulty: kv.uint64(block.cumulativeDifficulty),
        already_generated_coins: kv.uint64(block.generatedCoins),
        already_generated_transaction_count: kv.uint64(block.generatedTransactions),
      }),
    }),
  );
  expect(decodeRecord(key, value)).toEqual({ table: 'block', block });
});

test('a key image record is the document that the C++ node stores', () => {
  const { key, value } = encodeRecord({ table: 'image', image: { image: KEY, height: 70_000 } });
  expect(key).toEqual(keyOf('7', kv.string(KEY)));
  expect(value).toEqual(document({ 7: kv.uint32(70_000) }));
  expect(decodeRecord(key, value)).toEqual({ table: 'image', image: { image: KEY, height: 70_000 } });
});

test('a key output record is the document that the C++ node stores, with a zero transaction hash', () => {
  const { key, value } = encodeRecord({ table: 'output', output });
  expect(key).toEqual(
    keyOf(
      'j',
      kv.object({
        first: kv.uint64(output.amount),
        second: kv.uint32(output.index),
      }),
    ),
  );
  expect(value).toEqual(
    document({
      j: kv.object({
        public_key: kv.string(KEY),
        transaction_hash: kv.string(Buffer.alloc(32)),
        unlock_time: kv.uint64(output.unlockTime),
        output_index: kv.uint16(output.position),
        block_index: kv.uint32(output.height),
      }),
    }),
  );
  expect(decodeRecord(key, value)).toEqual({ table: 'output', output });
});

test('rejects a record with any other byte outside of its fields', () => {
  const records = [
    encodeRecord({ table: 'block', block }),
    encodeRecord({ table: 'image', image: { image: KEY, height: 1 } }),
    encodeRecord({ table: 'output', output }),
  ];
  const names = ['block info', 'key image', 'key output'];
  const slotsOf = [
    [BLOCK_KEY, BLOCK_VALUE],
    [IMAGE_KEY, IMAGE_VALUE],
    [OUTPUT_KEY, OUTPUT_VALUE],
  ] as const;
  records.forEach(({ key, value }, i) => {
    const [keyLayout, valueLayout] = slotsOf[i]!;
    for (const [bytes, layout, isKey] of [
      [key, keyLayout, true],
      [value, valueLayout, false],
    ] as const) {
      const free = Object.values(layout.slots) as { start: number; end: number }[];
      for (let at = 0; at < bytes.length; at++) {
        if (free.some(({ start, end }) => at >= start && at < end)) continue;
        const wrong = Buffer.from(bytes);
        wrong[at]! ^= 1;
        expect(() => decodeRecord(isKey ? wrong : key, isKey ? value : wrong)).toThrow(
          isKey && at < 12
            ? /belonging to no table|not in the layout/
            : `The snapshot holds a ${names[i]!} record that is not in the layout the C++ node writes. Refusing it.`,
        );
      }
    }
    expect(() => decodeRecord(key, value.subarray(1))).toThrow('not in the layout');
    expect(() => decodeRecord(key.subarray(0, 30), value)).toThrow('not in the layout');
    expect(() => decodeRecord(key.subarray(0, 11), value)).toThrow('belonging to no table');
  });
});

const little = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

test('numbers are in the order of their little-endian bytes', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.constant(0x1_0101)), (count) => {
      const numbers = [...littleEndianOrder(count)];
      const plain = Array.from({ length: count }, (_, i) => i);
      expect(numbers).toEqual(plain.sort((a, b) => little(BigInt(a)).compare(little(BigInt(b)))));
    }),
    { numRuns: 8 },
  );
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), (values) => {
      const sorted = sortLittleEndian(values);
      expect(sorted.map(little)).toEqual(values.map(little).sort((a, b) => a.compare(b)));
    }),
  );
  expect([...littleEndianOrder(0x1_0100 + 1)].slice(0, 5)).toEqual([0, 0x1_0000, 0x100, 0x1_0100, 0x200]);
});
