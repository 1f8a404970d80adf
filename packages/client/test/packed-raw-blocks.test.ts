import fc from 'fast-check';
import { readPackedRawBlocks } from '../src/packed-raw-blocks';

const END = '"status":"OK","synced":false}';

const hex = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const globalIndexes = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 3 });
const item = fc.record(
  { block: hex, transactions: fc.array(hex, { maxLength: 3 }), globalIndexes },
  { requiredKeys: ['block', 'transactions'] },
);
const blocks = fc.array(item, { maxLength: 4 });

test('reads the blocks of our nodes', () => {
  fc.assert(
    fc.property(blocks, (items) => {
      const read = readPackedRawBlocks(Buffer.from(`${JSON.stringify({ items }).slice(0, -1)},${END}`));
      const found = read?.map(({ block, transactions, globalIndexes: lists }) => {
        return {
          ...{ block: block.toString('hex'), transactions: transactions.map((one) => one.toString('hex')) },
          ...(lists !== undefined && { globalIndexes: lists }),
        };
      });
      expect(found).toEqual(items);
    }),
  );
});

const MALFORMED = ['[[1', '[[-1]]', '[["1"]]', '[[0.5]]', '[1]', '""', '', '[[4294967296]]'];
/* A hostile node could otherwise fill the memory with the values, or with an error for each of them. */
const TOO_MANY = `[[${'1,'.repeat(200_000)}1]]`;

test.each([...MALFORMED, TOO_MANY])('ignores malformed global indexes: %#', (lists) => {
  const text = `{"items":[{"block":"ab","transactions":["cd"],"globalIndexes":${lists}}],${END}`;
  const [block] = readPackedRawBlocks(Buffer.from(text)) ?? [];
  expect(block?.block).toEqual(Buffer.of(0xab));
  expect(block?.globalIndexes).toBeUndefined();
});

test('leaves every other text to the general parser', () => {
  const read = (text: string): unknown => readPackedRawBlocks(Buffer.from(text));
  expect(read(`{"items":[],${END}`)).toEqual([]);
  expect(read(`{"items": [],${END}`)).toBeUndefined();
  expect(read('{"items":[],"status":"BUSY","synced":false}')).toBeUndefined();
  expect(read('{"items":[],"status":"OK","items":[],"synced":false}')).toBeUndefined();
  expect(read(`{"items":[{"block":"ab"}],${END}`)).toBeUndefined();
  expect(read(`{"items":[{"block":"abc","transactions":[]}],${END}`)).toBeUndefined();
  expect(read('{"items":[{"block":"ab')).toBeUndefined();
  expect(read('{"items":[{"block":"ab","transactions":[],"globalIndexes":[[1]]')).toBeUndefined();
  expect(read('')).toBeUndefined();
});
