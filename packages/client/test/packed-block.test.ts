import fc from 'fast-check';
import { NodeFailure, PackedBlock, readBinaryResponse, type SyncBlock, type SyncResponse } from '../src';

/*
 * Responses are written by a simple encoder. Those of a node are compared with its JSON in packages/wallet-core
 * (sync/chain-a.test.ts).
 */

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const uint64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

function encodeBlock({ height, hash, timestamp, coinbase, transactions }: SyncBlock): Buffer {
  const all = coinbase === undefined ? transactions : [coinbase, ...transactions];
  const outputs = all.flatMap((one) => one.outputs);
  const inputs = all.flatMap((one) => one.inputs);
  const rest = Buffer.concat([
    ...[hex(hash), uint32(height), uint64(BigInt(timestamp)), uint32(coinbase === undefined ? 0 : 1)],
    ...[all.length, outputs.length, inputs.length].map(uint32),
    ...all.map((one) => hex(one.hash)),
    ...all.map((one) => hex(one.transactionPublicKey)),
    ...all.map((one) => uint64(one.unlockTime)),
    ...all.map((one) => uint32(one.outputs.length)),
    ...all.map((one) => uint32(one.inputs.length)),
    ...all.map((one) => uint32(one.paymentId.length / 2)),
    ...outputs.map(({ key }) => hex(key)),
    ...outputs.map(({ amount }) => uint64(amount)),
    ...inputs.map(({ keyImage }) => hex(keyImage)),
    ...inputs.map(({ amount }) => uint64(amount)),
    ...all.map((one) => hex(one.paymentId)),
  ]);
  return Buffer.concat([uint32(rest.length + 4), rest]);
}

const END = '{"scannedToHeight":7,"status":"OK","synced":false}';

const encode = (blocks: readonly SyncBlock[], end = END): Buffer =>
  Buffer.concat([Buffer.from('WSB1'), ...blocks.map(encodeBlock), uint32(0), Buffer.from(end)]);

/** All fields of a block; decodes packed blocks. */
const plain = ({ height, hash, timestamp, coinbase, transactions }: SyncBlock): SyncBlock => {
  return { height, hash, timestamp, coinbase, transactions };
};

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const amount = fc.bigInt(0n, 2n ** 64n - 1n);
const transaction = fc.record({
  hash: key,
  transactionPublicKey: key,
  unlockTime: amount,
  paymentId: fc.constantFrom('', 'ab'.repeat(8), 'cd'.repeat(32)),
  inputs: fc.array(fc.record({ keyImage: key, amount }), { maxLength: 3 }),
  outputs: fc.array(fc.record({ key, amount }), { maxLength: 3 }),
});
const coinbase = transaction.map((one) => ({ ...one, inputs: [], paymentId: '' }));
const chain = fc
  .array(
    fc.record({
      hash: key,
      timestamp: fc.maxSafeNat(),
      coinbase: fc.option(coinbase, { nil: undefined }),
      transactions: fc.array(transaction, { maxLength: 3 }),
    }),
    { maxLength: 4 },
  )
  .chain((blocks) => fc.nat().map((start) => blocks.map((one, i) => ({ ...one, height: start + i }))));

test('a binary response has the encoded blocks', () => {
  fc.assert(
    fc.property(chain, (blocks) => {
      const response = readBinaryResponse(encode(blocks));
      expect(response).toMatchObject({ scannedTo: 7, tip: undefined });
      expect(response?.blocks.every((one) => one instanceof PackedBlock)).toBe(true);
      expect(response?.blocks.map(plain)).toEqual(blocks);
    }),
  );
});

test('its columns have the keys of all transactions, with and without the coinbase', () => {
  fc.assert(
    fc.property(chain, (blocks) => {
      for (const packed of readBinaryResponse(encode(blocks))?.blocks ?? []) {
        if (!(packed instanceof PackedBlock)) throw new Error('not packed');
        for (const block of [packed, packed.withoutCoinbase()]) {
          const { coinbase: first, transactions } = block;
          expect(transactions).toEqual(packed.transactions);
          const all = first === undefined ? transactions : [first, ...transactions];
          const { transactionKeys, outputCounts, outputs } = block.scanColumns();
          expect(transactionKeys.toString('hex')).toBe(all.map((one) => one.transactionPublicKey).join(''));
          expect([...outputCounts]).toEqual(all.map((one) => one.outputs.length));
          expect(outputs.toString('hex')).toBe(all.flatMap((one) => one.outputs.map((output) => output.key)).join(''));
          expect(block.outputCount * 64).toBe(outputs.toString('hex').length);
          const images = all.flatMap((one) => one.inputs.map(({ keyImage }) => keyImage));
          expect(block.keyImages.toString('hex')).toBe(images.join(''));
          expect(block.inputCount).toBe(images.length);
        }
        expect(packed.withoutCoinbase().coinbase).toBeUndefined();
      }
    }),
  );
});

test('JSON is not a binary response', () => {
  expect(readBinaryResponse(Buffer.from('{"items":[],"status":"OK","synced":true}'))).toBeUndefined();
  expect(readBinaryResponse(Buffer.alloc(0))).toBeUndefined();
});

const outcome = (body: Buffer): SyncResponse | 'malformed' | undefined => {
  try {
    return readBinaryResponse(body);
  } catch (error) {
    if (error instanceof NodeFailure && error.kind === 'malformed') return 'malformed';
    throw error;
  }
};

const id = 'ab'.repeat(32);
const spend = {
  ...{ hash: id, transactionPublicKey: id, unlockTime: 0n, paymentId: 'cd'.repeat(8) },
  ...{ inputs: [{ keyImage: id, amount: 5n }], outputs: [{ key: id, amount: 4n }] },
};
const base = { ...spend, inputs: [], paymentId: '' };
const block = { height: 5, hash: id, timestamp: 1, coinbase: base, transactions: [spend] };

test('a truncated response is malformed, at every length', () => {
  const whole = encode([block, { ...block, height: 6 }]);
  expect(outcome(whole)).toMatchObject({ scannedTo: 7 });
  for (let length = 4; length < whole.length; length++) expect(outcome(whole.subarray(0, length))).toBe('malformed');
});

test('a changed bit gives other values or a malformed response', () => {
  const whole = encode([block, { ...block, height: 6 }]);
  fc.assert(
    fc.property(fc.nat(8 * whole.length - 33), (bit) => {
      const changed = Buffer.from(whole);
      const at = 4 + (bit >> 3);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (bit & 7)), at);
      const response = outcome(changed);
      if (response === undefined) throw new Error('not read as binary');
      if (response !== 'malformed') expect(response.blocks.map(plain)).toHaveLength(2);
    }),
    { numRuns: 3_000 },
  );
});

const EMPTY = { ...block, coinbase: undefined, transactions: [] };

/** Changes the 32-bit field at a position in the first block. */
const withField = (at: number, value: number): Buffer => {
  const body = encode([block]);
  body.writeUInt32LE(value, 4 + at);
  return body;
};

test.each([
  ['a size above the response', withField(0, 1_000_000)],
  ['a size below the head', withField(0, 63)],
  ['two coinbases', withField(48, 2)],
  ['a coinbase with inputs', encode([{ ...block, coinbase: { ...base, inputs: spend.inputs } }])],
  ['a coinbase with a payment id', encode([{ ...block, coinbase: { ...base, paymentId: spend.paymentId } }])],
  ['a coinbase without transactions', encode([EMPTY]).fill(1, 52, 53)],
  ['too many transactions', withField(52, 0xffff_ffff)],
  ['too many outputs', withField(56, 3)],
  ['too few inputs', withField(60, 0)],
  ['a payment id of 16 bytes', encode([{ ...block, transactions: [{ ...spend, paymentId: 'cd'.repeat(16) }] }])],
  ['a block with bytes after its payment ids', withField(64 + 2 * 80 + 4, 0)],
  ['a height twice', encode([block, block])],
  ['falling heights', encode([block, { ...block, height: 4 }])],
  ['more than 10,000 blocks', encode(Array.from({ length: 10_001 }, (_, height) => ({ ...EMPTY, height })))],
  ['no fields after the blocks', encode([block], '')],
  ['a status other than OK', encode([block], END.replace('OK', 'BUSY'))],
  ['too many bytes after the blocks', encode([block], END.padEnd(1_100))],
])('%s is malformed', (_name, body) => {
  expect(outcome(body)).toBe('malformed');
});

test('a tip is that of the fields, and a timestamp is at most 2^53 - 1', () => {
  const end = `{"status":"OK","synced":true,"topBlock":{"hash":"${id}","height":9}}`;
  expect(outcome(encode([], end))).toEqual({ blocks: [], scannedTo: undefined, tip: { height: 9, hash: id } });
  const late = encode([block]);
  late.writeBigUInt64LE(2n ** 64n - 1n, 4 + 40);
  expect(outcome(late)).toMatchObject({ blocks: [{ timestamp: Number.MAX_SAFE_INTEGER }] });
});
