import fc from 'fast-check';
import { readPackedRawBlocks } from '../src/packed-raw-blocks';

const END = '"status":"OK","synced":false}';

const hex = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const blocks = fc.array(fc.record({ block: hex, transactions: fc.array(hex, { maxLength: 3 }) }), { maxLength: 4 });

test('reads the blocks of our nodes', () => {
  fc.assert(
    fc.property(blocks, (items) => {
      const read = readPackedRawBlocks(Buffer.from(`${JSON.stringify({ items }).slice(0, -1)},${END}`));
      const found = read?.map(({ block, transactions }) => {
        return { block: block.toString('hex'), transactions: transactions.map((one) => one.toString('hex')) };
      });
      expect(found).toEqual(items);
    }),
  );
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
  expect(read('')).toBeUndefined();
});
