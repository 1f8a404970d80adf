import { networkOf, parseBlock, parseTransaction, type ParsedBlock, type ParsedTransaction } from '@wrkz/core-types';
import { checkHash, powHashMany } from '@wrkz/crypto';
import {
  BranchView,
  Checkpoints,
  VerifiedBlock,
  checkBlock,
  genesisBlock,
  genesisView,
  mergeMiningCommits,
  transactionPowDifficulty,
} from '@wrkz/consensus';
import { readJson } from '@wrkz/testing/fixtures';

interface Header {
  height: number;
  hash: string;
  difficulty: number;
  reward: number;
}

const mainnet = networkOf('mainnet');
const boundary = new Map(
  readJson<Header[]>('rpc/block_headers_at_version_boundaries.json').map((header) => [header.height, header]),
);
const recent = readJson<Header[] | { items: Header[] }>('mainnet/headers_4213588_to_4213650.json');
for (const header of Array.isArray(recent) ? recent : recent.items) boundary.set(header.height, header);

function load(name: string): { block: ParsedBlock; transactions: ParsedTransaction[]; height: number }[] {
  const { items } = readJson<{ items: { block: string; transactions: string[] }[] }>(`mainnet/${name}.json`);
  return items.map((item) => {
    const block = parseBlock(Buffer.from(item.block, 'hex'));
    const [input] = block.block.coinbase.inputs;
    return {
      block,
      transactions: item.transactions.map((hex) => parseTransaction(Buffer.from(hex, 'hex'))),
      height: input?.type === 'base' ? input.height : -1,
    };
  });
}

test('blocks 0 to 5 are valid with full verification, without checkpoints', async () => {
  const [genesis, ...blocks] = load('rawblocks_0_to_5');
  expect(genesisBlock(mainnet).facts.hash).toEqual(genesis!.block.hash);
  const view = new BranchView(genesisView(mainnet));
  for (const { block, transactions, height } of blocks) {
    const verified = await checkBlock(block, transactions, {
      network: mainnet,
      view,
      now: 1_600_000_000,
      checkpoints: Checkpoints.none,
    });
    expect(verified).toBeInstanceOf(VerifiedBlock);
    if (!(verified instanceof VerifiedBlock)) return;
    const header = boundary.get(height)!;
    expect(verified.facts.hash.toString('hex')).toBe(header.hash);
    expect(verified.facts.difficulty).toBe(BigInt(header.difficulty));
    const paid = block.block.coinbase.outputs.reduce((sum, output) => sum + output.amount, 0n);
    expect(paid).toBe(BigInt(header.reward));
    view.push(verified);
  }
  expect(view.height).toBe(5);
});

describe('single blocks of every version', () => {
  const blocks = [
    'rawblocks_302401_v5',
    'rawblocks_600001_v6',
    'rawblocks_1000001_v7',
    'rawblocks_4213000_v7',
    'rawblocks_4213001_v7_reconstructed',
    'rawblocks_4213648_to_4213650_v7',
  ].flatMap(load);

  test('the proof of work meets the recorded difficulty', async () => {
    const hashes = await powHashMany(
      blocks.map(({ block, height }) => ({ algorithm: mainnet.rulesAt(height).powAlgorithm, data: block.powInput })),
    );
    const recorded = blocks.filter(({ height }) => boundary.has(height));
    expect(recorded.length).toBe(blocks.length - 1);
    blocks.forEach(({ height }, i) => {
      const header = boundary.get(height);
      if (header === undefined) return expect(height).toBe(4_213_001);
      expect(checkHash(hashes[i]!, BigInt(header.difficulty))).toBe(true);
      // The hash does not meet every difficulty.
      return expect(checkHash(hashes[i]!, 1n << 60n)).toBe(false);
    });
  });

  test('the parent commits to the block, at depths 0, 1 and 7', () => {
    const depths = new Set<number>();
    for (const { block } of blocks) {
      expect(mergeMiningCommits(block, mainnet)).toBe(true);
      depths.add(block.block.parentBlock!.blockchainBranch.length);
    }
    expect([...depths].sort()).toEqual([0, 1, 7]);
  });

  test('the parent with a changed branch does not commit to the block', () => {
    const deep = blocks.find(({ block }) => block.block.parentBlock!.blockchainBranch.length === 7)!.block;
    const parent = deep.block.parentBlock!;
    const branch = parent.blockchainBranch.map((hash, i) => (i === 3 ? Buffer.alloc(32) : hash));
    const forged = Object.assign(Object.create(deep) as ParsedBlock, {
      block: { ...deep.block, parentBlock: { ...parent, blockchainBranch: branch } },
    });
    expect(mergeMiningCommits(forged, mainnet)).toBe(false);
  });

  test('the transaction of block 4,213,650 has a valid proof of work', async () => {
    const { transactions, height } = blocks.find((one) => one.height === 4_213_650)!;
    const [transaction] = transactions;
    const difficulty = transactionPowDifficulty(transaction!.transaction, mainnet, height - 1);
    const [hash] = await powHashMany([{ algorithm: 'cn_upx', data: transaction!.prefixBytes }]);
    expect(difficulty).toBe(
      40_000n + 1000n * BigInt(transaction!.transaction.inputs.length + 4 * transaction!.transaction.outputs.length),
    );
    expect(checkHash(hash!, difficulty)).toBe(true);
    expect(checkHash(hash!, difficulty << 45n)).toBe(false);
  });
});
