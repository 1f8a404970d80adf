import { encodeBlock, parseBlock, type Block } from '@wrkz/core-types';
import { mergeMiningCommits } from '@wrkz/consensus';
import { blockAt, devnet } from './chain-a';

const { block, parentBlock } = { ...blockAt(700).block, parentBlock: blockAt(700).block.block.parentBlock! };
const commits = (changed: Block): boolean => mergeMiningCommits(parseBlock(encodeBlock(changed)), devnet);
const withExtra = (extra: Buffer): Block => ({
  ...block,
  parentBlock: { ...parentBlock, baseTransaction: { ...parentBlock.baseTransaction, extra } },
});

test('the parent of a block commits to it', () => expect(commits(block)).toBe(true));
test('a block of version 1 needs no parent', () => {
  expect(mergeMiningCommits(blockAt(1).block, devnet)).toBe(true);
});
/* The decoder refuses the blocks of the next two tests. */
test('a parent without a tag commits to nothing', () => {
  expect(mergeMiningCommits({ block: withExtra(Buffer.alloc(0)) } as never, devnet)).toBe(false);
});
test('a later block without a parent has no commitment', () => {
  expect(mergeMiningCommits({ block: { ...block, parentBlock: undefined } } as never, devnet)).toBe(false);
});
test('a parent with another root commits to another block', () => {
  const { extra } = parentBlock.baseTransaction;
  const other = Buffer.from(extra);
  other[other.length - 1]! ^= 1;
  expect(commits(withExtra(other))).toBe(false);
});
