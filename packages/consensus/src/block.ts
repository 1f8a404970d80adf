import { type ParsedBlock, type ParsedTransaction, REWARD_BLOCKS_WINDOW } from '@wrkz/core-types';
import { checkCoinbase, checkHardSize, checkParentBlock, checkTimestamp, checkVersion } from './block-alone';
import type { BlockContext, BlockStaging, BlockStep, StagedBlock } from './block-context';
import { checkDifficulty, checkReward, checkTransactionList, checkTransactions, checkWork } from './block-in-chain';
import { RuleFailure } from './errors';
import { firstFailure, runProofs, type Proof } from './proofs';
import { medianSize } from './sizes';
import { makeVerified, type VerifiedBlock } from './verified-block';
import type { BlockFacts } from './view';

/**
 * The rules of a block in the order of the reference (docs/protocol/blocks.md#order-of-checks). The first broken rule
 * is the error.
 */
const STEPS: readonly BlockStep[] = [
  checkHardSize,
  checkVersion,
  checkParentBlock,
  checkTimestamp,
  checkCoinbase,
  checkDifficulty,
  checkTransactionList,
  checkTransactions,
  checkReward,
  checkWork,
];

/**
 * Runs the cheap checks of a block on top of a branch and collects the costly proofs. An accepted block can be added to a
 * `BranchView`, so that the next block is staged while the proofs of this one run.
 *
 * @param delivered its transactions in the order of delivery; the staged block has them in the order of its list
 */
export function stageBlock(
  block: ParsedBlock,
  delivered: readonly ParsedTransaction[],
  context: BlockContext,
): StagedBlock {
  const { view } = context;
  const parent = view.facts(view.height);
  if (!block.block.previousHash.equals(parent.hash)) {
    return { failure: new RuleFailure('REJECTED_AS_ORPHANED'), block, transactions: delivered, proofs: [] };
  }
  const staging = begin(block, delivered, context, parent);
  const { transactions } = staging;
  for (const step of STEPS) {
    const refusal = step(staging);
    if (refusal === undefined) continue;
    const failure = refusal instanceof RuleFailure ? refusal : new RuleFailure(refusal);
    return { failure, block, transactions, proofs: staging.proofs };
  }
  const { proofs, fees, reward, baseReward, sizeMedian, checkpointed } = staging;
  const facts = factsOf(staging);
  return { failure: undefined, block, transactions, proofs, facts, fees, reward, baseReward, sizeMedian, checkpointed };
}

/**
 * The validation result of a staged block.
 *
 * @param verdicts whether each of `staged.proofs` is valid, from `runProofs`
 * @returns the failure that the reference would report, or the verified block, the only type that can be appended
 */
export function verifyBlock(staged: StagedBlock, verdicts: readonly boolean[]): VerifiedBlock | RuleFailure {
  const failed = firstFailure(staged.proofs, verdicts);
  if (failed !== undefined) return failed;
  if (staged.failure !== undefined) return staged.failure;
  return makeVerified(staged);
}

/** Validates a single block: stages it, runs its proofs and returns the result. */
export async function checkBlock(
  block: ParsedBlock,
  transactions: readonly ParsedTransaction[],
  context: BlockContext,
): Promise<VerifiedBlock | RuleFailure> {
  const staged = stageBlock(block, transactions, context);
  return verifyBlock(staged, await runProofs(staged.proofs));
}

/**
 * Delivered transactions in the order of the block's list, which decides their global indexes. Later heights reject another order
 * (docs/protocol/blocks.md#transaction-list); at earlier heights only the sets were compared, so a delivery in another order is
 * sorted. Any other delivery is returned unchanged, and rejected by the check of the list.
 */
export function inListedOrder(
  block: ParsedBlock,
  transactions: readonly ParsedTransaction[],
): readonly ParsedTransaction[] {
  const listed = block.block.transactionHashes;
  if (listed.length !== transactions.length) return transactions;
  if (transactions.every((transaction, i) => listed[i]?.equals(transaction.hash))) return transactions;
  const byHash = new Map(transactions.map((transaction) => [transaction.hash.toString('hex'), transaction]));
  const ordered = listed.flatMap((hash) => byHash.get(hash.toString('hex')) ?? []);
  // A hash that is listed twice would displace a transaction that is not listed.
  return new Set(ordered).size === listed.length ? ordered : transactions;
}

function begin(
  parsed: ParsedBlock,
  delivered: readonly ParsedTransaction[],
  context: BlockContext,
  parent: BlockFacts,
): BlockStaging {
  const height = parent.height + 1;
  const rules = context.network.rulesAt(height);
  // If a rule checks the order, the rules must see the order of delivery.
  const transactions = rules.blockListChecked ? delivered : inListedOrder(parsed, delivered);
  const proofs: Proof[] = [];
  return {
    parsed,
    transactions,
    context,
    parent,
    height,
    rules,
    checkpointed: context.checkpoints.covers(height),
    proofs,
    size: transactions.reduce((sum, transaction) => sum + transaction.size, parsed.coinbase.size),
    sizeMedian: medianSize(context.view.window(parent.height, REWARD_BLOCKS_WINDOW)),
    coinbaseSum: 0n,
    difficulty: 0n,
    fees: 0n,
    reward: 0n,
    baseReward: 0n,
    emission: 0n,
  };
}

function factsOf(staging: BlockStaging): BlockFacts {
  const { parsed, transactions, parent, height, size, difficulty, emission } = staging;
  return {
    height,
    hash: parsed.hash,
    majorVersion: parsed.block.majorVersion,
    minorVersion: parsed.block.minorVersion,
    timestamp: Number(parsed.block.timestamp),
    size,
    difficulty,
    cumulativeDifficulty: parent.cumulativeDifficulty + difficulty,
    generatedCoins: parent.generatedCoins + emission,
    generatedTransactions: parent.generatedTransactions + 1 + transactions.length,
  };
}
