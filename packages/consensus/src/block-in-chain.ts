import type { BlockStaging, BlockStep } from './block-context';
import { nextDifficulty } from './difficulty';
import { RuleFailure } from './errors';
import { blockReward } from './reward';
import { stageTransaction } from './transaction';
import { parseExtra, type Network, type ParsedBlock } from '@wrkz/core-types';
import { treeHashFromBranch } from '@wrkz/crypto';

/*
 * Steps 7 to 10 of docs/protocol/blocks.md#order-of-checks: rules that need the branch and the transactions of the
 * block.
 */

export const checkDifficulty: BlockStep = (staging) => {
  const { context, parent } = staging;
  staging.difficulty = nextDifficulty(context.network, parent.height, context.view);
  return staging.difficulty === 0n ? 'DIFFICULTY_OVERHEAD' : undefined;
};

/**
 * Compares the hash list of the block with the delivered transactions. From 600,000 on they must be equal, without
 * repeats. Before that the reference accepts any body. Here any order is accepted as well, but an unlisted or missing
 * transaction is rejected: such a body does not belong to this block
 * (docs/protocol/lessons.md#wrong-bodies-under-honest-ids).
 */
export const checkTransactionList: BlockStep = ({ parsed, transactions, rules }) => {
  const listed = parsed.block.transactionHashes.map((hash) => hash.toString('hex'));
  const delivered = transactions.map((transaction) => transaction.hash.toString('hex'));
  if (rules.blockListChecked) {
    if (new Set(listed).size !== listed.length || new Set(delivered).size !== delivered.length)
      return 'TRANSACTION_DUPLICATES';
  } else {
    listed.sort();
    delivered.sort();
  }
  return listed.length === delivered.length && listed.every((hash, i) => hash === delivered[i])
    ? undefined
    : 'TRANSACTION_INCONSISTENCY';
};

/** Transactions are validated at the parent's index; a key image may be spent once per block. */
export const checkTransactions: BlockStep = (staging) => {
  const { parsed, transactions, context, parent, checkpointed, proofs } = staging;
  const spentInBlock = new Set<string>();
  const transactionContext = {
    network: context.network,
    height: parent.height,
    blockTimestamp: Number(parsed.block.timestamp),
    view: context.view,
    pool: false,
    checkpointed,
    medianSize: context.mainMedianSize ?? Math.max(staging.sizeMedian, staging.rules.fullRewardZone),
    tipTimestamp: parent.timestamp,
    now: context.now,
    spentInBlock,
  };
  for (const transaction of transactions) {
    const staged = stageTransaction(transaction, transactionContext);
    for (const proof of staged.proofs) proofs.push(proof);
    if (staged.failure !== undefined) return new RuleFailure(staged.failure, { transactionHash: transaction.hash });
    staging.fees += staged.fee;
  }
  return undefined;
};

export const checkReward: BlockStep = (staging) => {
  const { rules, sizeMedian, size, parent, fees } = staging;
  const reward = blockReward({ rules, medianSize: sizeMedian, size, generatedCoins: parent.generatedCoins, fees });
  if (reward === undefined) return 'CUMULATIVE_BLOCK_SIZE_TOO_BIG';
  staging.reward = reward.total;
  staging.baseReward = reward.base;
  staging.emission = reward.emission;
  if (staging.coinbaseSum === reward.total) return undefined;
  return new RuleFailure('BLOCK_REWARD_MISMATCH', { detail: `${staging.coinbaseSum} instead of ${reward.total}` });
};

/** Checks the hash in the checkpoint zone, and the proof of work above it; the commitment first, because it is cheap. */
export const checkWork: BlockStep = (staging) => {
  const { parsed, context, height, checkpointed } = staging;
  if (checkpointed)
    return context.checkpoints.agrees(height, parsed.hash) ? undefined : 'CHECKPOINT_BLOCK_HASH_MISMATCH';
  if (!mergeMiningCommits(parsed, context.network)) return 'PROOF_OF_WORK_TOO_WEAK';
  if (context.network.checkProofOfWork) pushProofOfWork(staging);
  return undefined;
};

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

function pushProofOfWork({ parsed, rules, difficulty, proofs }: BlockStaging): void {
  proofs.push({
    kind: 'pow',
    algorithm: rules.powAlgorithm,
    input: parsed.powInput,
    difficulty,
    transaction: undefined,
  });
}
