import type { daemonApi } from '@wrkz/api';
import { baseReward, type BlockFacts, medianSize, penalizedAmount } from '@wrkz/consensus';
import { type Network, parseBlock, parseTransaction, type RawBlock, reportedBlockBytes } from '@wrkz/core-types';
import type { z } from 'zod';
import { transactionRow } from './transaction-row';

type ExplorerBlock = z.output<typeof daemonApi.blockResult>['block'];

/** A main-chain block and what its surroundings say of it. */
export interface ExplorerBlockParts {
  readonly network: Network;
  readonly raw: RawBlock;
  readonly facts: BlockFacts;
  /** Up to 100 blocks before it, the last of them its parent. */
  readonly before: readonly BlockFacts[];
  /** Index of the tip. */
  readonly top: number;
}

/** The `block` of `f_block_json`. */
export function explorerBlock({ network, raw, facts, before, top }: ExplorerBlockParts): ExplorerBlock {
  const { block, coinbase } = parseBlock(raw.block);
  const transactions = [coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))].map(transactionRow);
  const rules = network.rulesAt(facts.height);
  const sizeMedian = medianSize(before);
  const effectiveSizeMedian = Math.max(sizeMedian, rules.fullRewardZone);
  const base = baseReward(rules, before.at(-1)?.generatedCoins ?? 0n);
  return {
    alreadyGeneratedCoins: String(facts.generatedCoins),
    alreadyGeneratedTransactions: facts.generatedTransactions,
    baseReward: base,
    blockSize: reportedBlockBytes(block, raw.transactions),
    depth: top - facts.height,
    difficulty: facts.difficulty,
    effectiveSizeMedian,
    hash: facts.hash.toString('hex'),
    height: facts.height,
    major_version: facts.majorVersion,
    minor_version: facts.minorVersion,
    nonce: block.nonce,
    orphan_status: false,
    penalty: penaltyOf(base, penalizedAmount(base, effectiveSizeMedian, facts.size)),
    prev_hash: block.previousHash.toString('hex'),
    reward: transactions[0]?.amount_out ?? 0n,
    sizeMedian,
    timestamp: BigInt(facts.timestamp),
    totalFeeAmount: transactions.reduce((sum, { fee }) => sum + fee, 0n),
    transactions,
    transactionsCumulativeSize: facts.size,
  };
}

/** The part of the base reward that was not paid. */
function penaltyOf(base: bigint, kept: bigint): number {
  return base === 0n ? 0 : Number(base - kept) / Number(base);
}
