import { DecodeError, encodeVarint, MAX_BLOCK_BYTES, parseBlock, parseTransaction } from '@wrkz/core-types';

/** A transaction of base inputs of two bytes each, which need the most memory: about 30 bytes per encoded byte. */
function baseInputs(count: number): Buffer {
  const head = Buffer.concat([Buffer.from([1, 0]), encodeVarint(count)]);
  return Buffer.concat([head, Buffer.alloc(2 * count, Buffer.from([0xff, 0x00])), Buffer.from([0, 0])]);
}

/** A version 1 block without transactions, with this coinbase. */
const around = (coinbase: Buffer): Buffer =>
  Buffer.concat([Buffer.from([1, 0, 0]), Buffer.alloc(36), coinbase, Buffer.from([0])]);

const tooLong = (bytes: Buffer): string => `${bytes.length} bytes are more than ${MAX_BLOCK_BYTES}`;

describe('the maximum length of decoded bytes', () => {
  const tooMany = baseInputs(MAX_BLOCK_BYTES / 2);

  it('allows bytes up to the size of a block', () => {
    const some = baseInputs(1000);
    expect(parseTransaction(some).transaction.inputs).toHaveLength(1000);
    expect(parseBlock(around(some)).block.coinbase.inputs).toHaveLength(1000);
  });

  it('rejects longer bytes by their length, without decoding any of them', () => {
    for (const bytes of [tooMany, Buffer.alloc(tooMany.length, 0xff)]) {
      expect(() => parseTransaction(bytes)).toThrow(new DecodeError(tooLong(bytes)));
      expect(() => parseBlock(around(bytes))).toThrow(new DecodeError(tooLong(around(bytes))));
    }
  });
});
