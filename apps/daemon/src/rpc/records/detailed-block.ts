import type { daemonApi } from '@wrkz/api';
import { baseReward, type BlockFacts, medianSize } from '@wrkz/consensus';
import { type Network, parseBlock, parseTransaction, type RawBlock, reportedBlockBytes } from '@wrkz/core-types';
import type { z } from 'zod';
import { detailedTransaction } from './detailed-transaction';
import type { RingSources } from './ring-sources';

export type DetailedBlock = z.output<typeof daemonApi.detailedBlockObject>;

/** A block and what is known of it. */
export interface DetailedBlockParts {
  readonly network: Network;
  readonly raw: RawBlock;
  readonly facts: BlockFacts;
  /** Up to 100 blocks before it, the last of them its parent. */
  readonly before: readonly BlockFacts[];
  /** Global indexes of the outputs, by transaction, coinbase first. */
  readonly indexes: readonly (readonly number[])[];
  readonly sources: RingSources;
}

/** A main-chain block with everything that can be said of it and its transactions. */
export function detailedBlock({ network, raw, facts, before, indexes, sources }: DetailedBlockParts): DetailedBlock {
  const { block, coinbase } = parseBlock(raw.block);
  const transactions = [coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))].map((transaction, i) =>
    detailedTransaction(transaction, { facts, indexes: indexes[i] ?? [], sources }),
  );
  return {
    alreadyGeneratedCoins: String(facts.generatedCoins),
    alreadyGeneratedTransactions: facts.generatedTransactions,
    baseReward: baseReward(network.rulesAt(facts.height), before.at(-1)?.generatedCoins ?? 0n),
    blockSize: reportedBlockBytes(block, raw.transactions),
    difficulty: facts.difficulty,
    hash: facts.hash.toString('hex'),
    index: facts.height,
    major_version: facts.majorVersion,
    minor_version: facts.minorVersion,
    nonce: block.nonce,
    prevBlockHash: block.previousHash.toString('hex'),
    reward: transactions[0]?.totalOutputsAmount ?? 0n,
    sizeMedian: medianSize(before),
    timestamp: BigInt(facts.timestamp),
    totalFeeAmount: transactions.reduce((sum, { fee }) => sum + fee, 0n),
    transactions,
    transactionsCumulativeSize: facts.size,
  };
}

const NO_BLOCK = '00'.repeat(32);

/** A block of which the id alone is told. */
export function idOnlyBlock(hash: Buffer): DetailedBlock {
  return {
    alreadyGeneratedCoins: '0',
    alreadyGeneratedTransactions: 0,
    baseReward: 0n,
    blockSize: 0,
    difficulty: 0n,
    hash: hash.toString('hex'),
    index: 0,
    major_version: 0,
    minor_version: 0,
    nonce: 0,
    prevBlockHash: NO_BLOCK,
    reward: 0n,
    sizeMedian: 0,
    timestamp: 0n,
    totalFeeAmount: 0n,
    transactions: [],
    transactionsCumulativeSize: 0,
  };
}
