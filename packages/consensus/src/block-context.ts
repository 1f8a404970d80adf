import type { Network, ParsedBlock, ParsedTransaction, Rules } from '@wrkz/core-types';
import type { Checkpoints } from './checkpoints';
import type { ReasonCode, RuleFailure } from './errors';
import type { Proof } from './proofs';
import type { BlockFacts, ChainView } from './view';

/** Where a block is judged: behind the last block of a branch. */
export interface BlockContext {
  readonly network: Network;
  /** The branch that the block extends; its tip must be the block's parent. */
  readonly view: ChainView;
  /** Unix seconds of the clock. */
  readonly now: number;
  readonly checkpoints: Checkpoints;
  /**
   * `effectiveMedian` of the main chain's tip, where the branch is an alternative one: the transaction size limit goes
   * by it even there (protocol 5). Left out, the branch is the main chain.
   */
  readonly mainMedianSize?: number | undefined;
}

/** A block that passed every cheap check; its proofs are still to be run. */
export interface GoodBlock {
  readonly failure: undefined;
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
  /** In the order of the rules. */
  readonly proofs: readonly Proof[];
  readonly facts: BlockFacts;
  /** Sum of the transactions' fees, atomic units. */
  readonly fees: bigint;
  /** What the coinbase pays, and would pay without penalty and fees. */
  readonly reward: bigint;
  readonly baseReward: bigint;
  /** Median of the previous 100 block sizes. */
  readonly sizeMedian: number;
  /** It lies in the checkpoint zone. */
  readonly checkpointed: boolean;
}

/** A block refused by a cheap check; one of the proofs written down before it may refuse it sooner. */
export interface BadBlock {
  readonly failure: RuleFailure;
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
  readonly proofs: readonly Proof[];
}

export type StagedBlock = GoodBlock | BadBlock;

/** What the steps of staging share and fill in. */
export interface BlockStaging {
  readonly parsed: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
  readonly context: BlockContext;
  readonly parent: BlockFacts;
  /** Index of the block, and the rules in force at it. */
  readonly height: number;
  readonly rules: Rules;
  readonly checkpointed: boolean;
  readonly proofs: Proof[];
  /** Cumulative: coinbase and transactions. */
  readonly size: number;
  /** Of the 100 blocks up to the parent. */
  readonly sizeMedian: number;
  coinbaseSum: bigint;
  difficulty: bigint;
  fees: bigint;
  reward: bigint;
  baseReward: bigint;
  emission: bigint;
}

/** One rule: its refusal, or undefined to go on. */
export type BlockStep = (staging: BlockStaging) => ReasonCode | RuleFailure | undefined;
