import fc from 'fast-check';
import {
  auxHeaderHash,
  blockHash,
  decodeBlock,
  encodeBlock,
  parentBlockSize,
  parseBlock,
  powInput,
  type Block,
} from '../src';
import { expectBytes, hex, readSections } from './recorded';
import { referenceId, referenceParent } from './reference-form';

/*
 * The number after the extra of a parent coinbase of version 2 and above. The reference reads it into a local variable
 * and writes 0 when it serializes the block again. It computes the block id and the size of the parent from that
 * serialization.
 */

const MAX_UINT64 = 2n ** 64n - 1n;

/** A block of version 5 with the parent coinbase of a block template. */
function sample(): Block {
  const [, lines] = [...readSections('mainnet/blocks.txt')].find(([title]) => title.includes('(major 5)'))!;
  return decodeBlock(hex(lines.get('block blob (BlockTemplate serialization)')!));
}

function withCoinbase(block: Block, changes: object): Block {
  const parent = block.parentBlock!;
  const { ignored: _, ...baseTransaction } = parent.baseTransaction;
  return { ...block, parentBlock: { ...parent, baseTransaction: { ...baseTransaction, ...changes } } };
}

const versions = [0, 1, 2, 200];
const numbers = [undefined, 0n, 1n, 128n, MAX_UINT64];

describe.each(versions)('a parent coinbase of version %i', (version) => {
  test.each(version < 2 ? [undefined] : numbers)('has the same id with the number %s after its extra', (number) => {
    const block = withCoinbase(sample(), { version, ...(number === undefined ? {} : { ignored: number }) });
    const bytes = encodeBlock(block);
    const parsed = parseBlock(bytes);
    expectBytes(encodeBlock(parsed.block), bytes);
    if (version >= 2) expect(parsed.block.parentBlock?.baseTransaction.ignored).toBe(number ?? 0n);
    expectBytes(parsed.hash, referenceId(block));
    expect(parsed.parentSize).toBe(referenceParent(block).length);

    const forgotten = withCoinbase(block, { version });
    expectBytes(blockHash(block), blockHash(forgotten));
    expectBytes(powInput(block), powInput(forgotten));

    // The next block refers to the block by the id of the network.
    const child = { ...sample(), previousHash: parsed.hash };
    expectBytes(auxHeaderHash(child), auxHeaderHash({ ...child, previousHash: referenceId(forgotten) }));
    expectBytes(parseBlock(encodeBlock(child)).block.previousHash, referenceId(block));
  });
});

test('the number is nevertheless part of the bytes', () => {
  const blocks = numbers.map((number) =>
    encodeBlock(withCoinbase(sample(), { version: 2, ...(number === undefined ? {} : { ignored: number }) })),
  );
  expect(new Set(blocks.map((bytes) => bytes.toString('hex'))).size).toBe(numbers.length - 1);
});

test.each([2047, 2048, 2049])('the size of a parent of %i bytes counts one byte for a ten-byte number', (size) => {
  const small = withCoinbase(sample(), { version: 2, ignored: MAX_UINT64 });
  const { extra } = small.parentBlock!.baseTransaction;
  const filled = (padding: number): Block =>
    withCoinbase(small, { ignored: MAX_UINT64, extra: Buffer.concat([extra, Buffer.alloc(padding)]) });
  // The length of extra is a varint of two bytes from 128 on.
  const block = filled(size - referenceParent(filled(256)).length + 256);
  expect(parentBlockSize(block)).toBe(size);
  expect(parseBlock(encodeBlock(block)).parentSize).toBe(size);
});

test('ids and sizes are those of the encoding by the reference, for any content of the parent', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
  const parents = fc.record({
    version: fc.nat({ max: 255 }),
    unlockTime: fc.bigInt({ min: 0n, max: MAX_UINT64 }),
    ignored: fc.bigInt({ min: 0n, max: MAX_UINT64 }),
    heights: fc.array(fc.nat({ max: 2 ** 31 }), { maxLength: 3 }),
    majorVersion: fc.nat({ max: 255 }),
    branch: fc.array(hash, { maxLength: 5 }),
  });
  fc.assert(
    fc.property(parents, ({ version, unlockTime, ignored, heights, majorVersion, branch }) => {
      const inputs = heights.map((height) => ({ type: 'base', height }));
      const plain = withCoinbase(sample(), { version, unlockTime, inputs, ...(version >= 2 ? { ignored } : {}) });
      const parentBlock = {
        ...plain.parentBlock!,
        majorVersion,
        transactionCount: 2 ** branch.length,
        baseTransactionBranch: branch,
      };
      const block = { ...plain, parentBlock };
      const parsed = parseBlock(encodeBlock(block));
      expectBytes(parsed.hash, referenceId(block));
      expect(parsed.parentSize).toBe(referenceParent(block).length);
    }),
  );
});
