import type { Network, ParsedTransaction, Rules } from '@wrkz/core-types';
import type { ReasonCode } from './errors';
import type { Proof } from './proofs';
import type { ChainView } from './view';

/** The context of validation: in a block, or on admission to the pool. */
export interface TransactionContext {
  readonly network: Network;
  /**
   * H: the index of the previous block, in the pool that of the tip (docs/protocol/networks.md#which-index). It selects
   * every rule.
   */
  readonly height: number;
  /** Unix seconds of the transaction's block; in the pool, of the tip. */
  readonly blockTimestamp: number;
  /** The branch up to H. Ring members and spent key images are looked up here. */
  readonly view: ChainView;
  /** In the pool, which applies some rules before their heights (docs/protocol/pool.md#admission). */
  readonly pool: boolean;
  /** The block is in the checkpoint zone: no proof of work, lookups or signatures. Never in the pool. */
  readonly checkpointed: boolean;
  /**
   * The node-wide median (docs/protocol/difficulty-and-reward.md#effective-median): at least the full reward zone of
   * the next block.
   */
  readonly medianSize: number;
  /** Unix seconds of block H: time locks are compared with it from 600,000 on. */
  readonly tipTimestamp: number;
  /** Unix seconds of the clock: time locks are compared with it before that. */
  readonly now: number;
  /** `keyImageId`s of the block's earlier transactions; those of this one are added. */
  readonly spentInBlock: Set<string>;
}

/** A transaction after the cheap checks. */
export interface StagedTransaction {
  readonly transaction: ParsedTransaction;
  /** The first failure of a cheap check. A failed proof takes precedence, because staging stopped here. */
  readonly failure: ReasonCode | undefined;
  /** In the order of the rules. */
  readonly proofs: readonly Proof[];
  /** Atomic units; 0 if unknown because of a failure. */
  readonly fee: bigint;
  readonly isFusion: boolean;
}

/** State that the steps of staging share. */
export interface TransactionStaging {
  readonly parsed: ParsedTransaction;
  readonly context: TransactionContext;
  /** In force at `context.height`. */
  readonly rules: Rules;
  readonly proofs: Proof[];
  inputSum: bigint;
  outputSum: bigint;
  fee: bigint;
  isFusion: boolean;
}

/** A rule: returns the reason of rejection, or undefined. */
export type TransactionStep = (staging: TransactionStaging) => ReasonCode | undefined;

/** A key image as a key of sets and maps. */
export function keyImageId(keyImage: Buffer): string {
  return keyImage.toString('hex');
}
