import fc from 'fast-check';
import {
  decodeTransaction,
  decodeTransactionPrefix,
  DecodeError,
  encodeTransaction,
  encodeTransactionPrefix,
  parseTransaction,
  prefixHash,
  type Transaction,
  type TransactionInput,
  transactionHash,
} from '../src';
import { chainA, expectBytes, hex, mainnetBlocks, readSections } from './recorded';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const uint32 = fc.nat({ max: 0xffff_ffff });
const keyInput: fc.Arbitrary<TransactionInput> = fc.record({
  type: fc.constant('key' as const),
  amount: uint64,
  keyOffsets: fc.array(uint32, { maxLength: 5 }),
  keyImage: bytes32,
});
const baseInput: fc.Arbitrary<TransactionInput> = fc.record({ type: fc.constant('base' as const), height: uint32 });
const transaction: fc.Arbitrary<Transaction> = fc
  .record({
    version: fc.nat({ max: 1 }),
    unlockTime: uint64,
    inputs: fc.array(fc.oneof({ weight: 4, arbitrary: keyInput }, baseInput), { maxLength: 4 }),
    outputs: fc.array(fc.record({ amount: uint64, key: bytes32 }), { maxLength: 4 }),
    extra: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  })
  .map((prefix) => ({
    ...prefix,
    signatures: prefix.inputs.map((input, i) =>
      Buffer.alloc(input.type === 'key' ? input.keyOffsets.length * 64 : 0, i + 1),
    ),
  }));

test('the synthetic transaction of the block vectors is decoded and encoded', () => {
  const lines = readSections('mainnet/blocks.txt').get('synthetic transaction');
  const parsed = parseTransaction(hex(lines?.get('full blob (with 3 zero signatures)') ?? ''));
  expect(parsed.prefixBytes.toString('hex')).toBe(lines?.get('prefix blob'));
  expect(parsed.prefixHash.toString('hex')).toBe(lines?.get('prefix hash'));
  expect(parsed.hash.toString('hex')).toBe(lines?.get('tx hash = keccak(full blob)'));
  expect(parsed.fee?.toString()).toBe(lines?.get('fee'));
  expect(parsed.isCoinbase).toBe(false);
  expect(prefixHash(parsed.transaction)).toEqual(parsed.prefixHash);
  expect(transactionHash(parsed.transaction)).toEqual(parsed.hash);
  expect(transactionHash(parsed.bytes)).toEqual(parsed.hash);
});

test('every recorded transaction is unchanged after decoding and encoding', () => {
  const recorded = [
    ...chainA().flatMap((line) => line.transactions.map(hex)),
    ...mainnetBlocks().flatMap((block) => block.transactions),
  ];
  expect(recorded.length).toBeGreaterThan(100);
  for (const bytes of recorded) {
    const parsed = parseTransaction(bytes);
    expectBytes(encodeTransaction(parsed.transaction), bytes);
    expectBytes(encodeTransactionPrefix(parsed.transaction), parsed.prefixBytes);
    expectBytes(encodeTransactionPrefix(decodeTransactionPrefix(parsed.prefixBytes)), parsed.prefixBytes);
    expectBytes(encodeTransactionPrefix(decodeTransactionPrefix(bytes, { allowSignatures: true })), parsed.prefixBytes);
    expect(() => decodeTransaction(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow('trailing bytes');
    expect(() => decodeTransaction(bytes.subarray(0, -1))).toThrow(DecodeError);
    expect(() => decodeTransactionPrefix(bytes)).toThrow('trailing bytes');
    expect(() => decodeTransactionPrefix(bytes.subarray(0, -1), { allowSignatures: true })).toThrow(DecodeError);
  }
});

test('any transaction is unchanged after encoding and decoding', () => {
  fc.assert(
    fc.property(transaction, (made) => {
      const bytes = encodeTransaction(made);
      expect(decodeTransaction(bytes)).toEqual(made);
      const parsed = parseTransaction(new Uint8Array(bytes));
      expect(parsed.transaction).toEqual(made);
      expect(parsed.prefixBytes).toEqual(encodeTransactionPrefix(made));
    }),
  );
});

test('with a changed byte it is rejected or unchanged after decoding and encoding', () => {
  fc.assert(
    fc.property(transaction, fc.nat(), fc.integer({ min: 1, max: 255 }), (made, at, change) => {
      const bytes = Buffer.from(encodeTransaction(made));
      const place = at % bytes.length;
      bytes[place] = (bytes[place] as number) ^ change;
      try {
        expectBytes(encodeTransaction(decodeTransaction(bytes)), bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
      }
    }),
    { numRuns: 1000 },
  );
});

test('random bytes are rejected or unchanged after decoding and encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        expectBytes(encodeTransaction(decodeTransaction(bytes)), bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
      }
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['an unknown version', '0200000000', 'unknown transaction version 2'],
  ['a version above 8 bits', '81020000000000', 'varint overflow'],
  ['an unlock time above 64 bits', '01ffffffffffffffffff02000000', 'varint overflow'],
  ['a height above 32 bits', '010001ff80808080100000', 'varint overflow'],
  ['an unknown input', '010001030000', 'unknown input type 3'],
  ['an unknown output', '0100000101' + '03' + '00'.repeat(33), 'unknown output type 3'],
  ['more inputs than bytes', '0100ffffffff0f0000', 'more inputs declared than the data can hold'],
  ['more outputs than bytes', '01000080808080808080800100', 'varint overflow'],
  ['more ring members than bytes', '0100010201ffff03' + '00'.repeat(40), 'more ring members declared'],
  ['an extra longer than the data', '010000000501', 'more bytes of extra declared'],
  ['a non-canonical number', '01800000', 'varint is not canonical'],
])('%s is rejected', (_, bytes, message) => {
  expect(() => decodeTransaction(hex(bytes))).toThrow(message);
});

test('the encoder rejects signatures that do not match the rings', () => {
  const made: Transaction = {
    version: 1,
    unlockTime: 0n,
    inputs: [{ type: 'key', amount: 1n, keyOffsets: [0, 1], keyImage: Buffer.alloc(32) }],
    outputs: [],
    extra: Buffer.alloc(0),
    signatures: [Buffer.alloc(128)],
  };
  expect(decodeTransaction(encodeTransaction(made))).toEqual(made);
  expect(() => encodeTransaction({ ...made, signatures: [Buffer.alloc(64)] })).toThrow(RangeError);
  expect(() => encodeTransaction({ ...made, signatures: [] })).toThrow(RangeError);
  expect(() => encodeTransaction({ ...made, signatures: [Buffer.alloc(128), Buffer.alloc(0)] })).toThrow(RangeError);
});

test('a fee may be negative, and a coinbase has none', () => {
  const made: Transaction = {
    version: 1,
    unlockTime: 0n,
    inputs: [{ type: 'key', amount: 5n, keyOffsets: [], keyImage: Buffer.alloc(32) }],
    outputs: [{ amount: 2n ** 64n - 1n, key: Buffer.alloc(32) }],
    extra: Buffer.alloc(0),
    signatures: [Buffer.alloc(0)],
  };
  expect(parseTransaction(encodeTransaction(made)).fee).toBe(6n - 2n ** 64n);
  const coinbase = parseTransaction(encodeTransaction({ ...made, inputs: [{ type: 'base', height: 7 }] }));
  expect(coinbase.fee).toBeUndefined();
  expect(coinbase.isCoinbase).toBe(true);
});
