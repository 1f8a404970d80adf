import { sparseChain } from '../../../src/p2p/sync/chain-entry';
import { FakeChain, sha256, toyChain, toyCodec } from '../fakes';

const hash = (number: number): Buffer => sha256(Buffer.from(String(number)));

test('a sparse chain has the tip, doubling distances, and genesis once', () => {
  const heights = (count: number): (number | undefined)[] => {
    const chain = new FakeChain(toyCodec, toyChain(count));
    return sparseChain(chain).map((item) => chain.heightOf(item));
  };
  expect(heights(0)).toEqual([0]);
  expect(heights(1)).toEqual([1, 0]);
  expect(heights(2)).toEqual([2, 1, 0]);
  expect(heights(20)).toEqual([20, 19, 18, 16, 12, 4, 0]);
  const chain = new FakeChain(toyCodec, toyChain(3));
  expect(sparseChain(chain, [hash(9)])[0]).toEqual(hash(9));
});
