import type { Network, ParsedBlock, ParsedTransaction, Rules } from '@wrkz/core-types';
import type { Checkpoints } from './checkpoints';
import type { ReasonCode, RuleFailure } from './errors';
import type { Proof } from './proofs';
import type { BlockFacts, ChainView } from './view';

/** The position at which a block is validated: after the last block of a branch. */
export interface BlockContext {
  readonly network: Network;
  /** The branch that the block extends; its tip must be the block's parent. */
  readonly view: ChainView;
  /** Unix seconds of the clock. */
  readonly now: number;
  readonly checkpoints: Checkpoints;
  /**
   * `effectiveMedian` of the main chain's tip, if the branch is an alternative one: it determines the transaction size limit
   * even there (docs/protocol/blocks.md#alternative-blocks). Undefined: the branch is the main chain.
   */
  readonly mainMedianSize?: number | undefined;
}

/** A block that passed all cheap checks. Its proofs are not yet checked. */
export interface GoodBlock {
  readonly failure: undefined;
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
  /** In the order of the rules. */
  readonly proofs: readonly Proof[];
  readonly facts: BlockFacts;
  /** Sum of the transactions' fees, atomic units. */
  readonly fees: bigint;
  /** Reward of the coinbase, and the same without penalty and fees. */
  readonly reward: bigint;
  readonly baseReward: bigint;
  /** Median of the previous 100 block sizes. */
  readonly sizeMedian: number;
  /** Whether the block is in the checkpoint zone. */
  readonly checkpointed: boolean;
}

/** A block rejected by a cheap check. A failed proof collected before that check takes precedence. */
export interface BadBlock {
  readonly failure: RuleFailure;
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
  readonly proofs: readonly Proof[];
}

export type StagedBlock = GoodBlock | BadBlock;

/** State that the steps of staging share. */
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
  /** Median size of the 100 blocks up to the parent. */
  readonly sizeMedian: number;
  coinbaseSum: bigint;
  difficulty: bigint;
  fees: bigint;
  reward: bigint;
  baseReward: bigint;
  emission: bigint;
}

/** A rule: returns the reason of rejection, or undefined. */
export type BlockStep = (staging: BlockStaging) => ReasonCode | RuleFailure | undefined;
