import { DecodeError, encodeVarint, MAX_BLOCK_BYTES, parseBlock, parseTransaction } from '@wrkz/core-types';

/** A transaction of base inputs, two bytes each: the dearest bytes to decode, some 30 bytes of memory each. */
function baseInputs(count: number): Buffer {
  const head = Buffer.concat([Buffer.from([1, 0]), encodeVarint(count)]);
  return Buffer.concat([head, Buffer.alloc(2 * count, Buffer.from([0xff, 0x00])), Buffer.from([0, 0])]);
}

/** That as the coinbase of a version 1 block without transactions. */
const around = (coinbase: Buffer): Buffer =>
  Buffer.concat([Buffer.from([1, 0, 0]), Buffer.alloc(36), coinbase, Buffer.from([0])]);

describe('what no chain could hold is not decoded', () => {
  const tooMany = baseInputs(MAX_BLOCK_BYTES / 2);

  it('decodes as much as a block could hold', () => {
    const some = baseInputs(1000);
    expect(parseTransaction(some).transaction.inputs).toHaveLength(1000);
    expect(parseBlock(around(some)).block.coinbase.inputs).toHaveLength(1000);
  });

  it('refuses longer bytes at once', () => {
    const started = performance.now();
    expect(() => parseTransaction(tooMany)).toThrow(DecodeError);
    expect(() => parseBlock(around(tooMany))).toThrow(DecodeError);
    expect(performance.now() - started).toBeLessThan(50);
  });
});
