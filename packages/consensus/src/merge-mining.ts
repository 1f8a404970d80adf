import { parseExtra, type Network, type ParsedBlock } from '@wrkz/core-types';
import { treeHashFromBranch } from '@wrkz/crypto';

/**
 * Whether the parent block of a block from version 2 on commits to it (docs/protocol/blocks.md#merge-mining): the fold
 * of the auxiliary header hash with the blockchain branch, sides taken from the bits of the genesis hash, must be the
 * root in the first merge-mining tag of the parent's coinbase. Version 1 has no parent and needs none.
 *
 * The parser has checked that the branch has the length of the tag, at most 256.
 */
export function mergeMiningCommits(block: ParsedBlock, network: Network): boolean {
  const parent = block.block.parentBlock;
  if (parent === undefined) return block.block.majorVersion === 1;
  const tag = parseExtra(parent.baseTransaction.extra).mergeMiningTag;
  if (tag === undefined) return false;
  const branch = parent.blockchainBranch;
  return treeHashFromBranch(branch, branch.length, block.auxHeaderHash, network.genesis.hash).equals(tag.root);
}
