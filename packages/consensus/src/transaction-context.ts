import type { Network, ParsedTransaction, Rules } from '@wrkz/core-types';
import type { ReasonCode } from './errors';
import type { Proof } from './proofs';
import type { ChainView } from './view';

/** Where a transaction is judged: inside a block, or when it comes to the pool. */
export interface TransactionContext {
  readonly network: Network;
  /** H: the index of the previous block, for the pool the tip's (protocol 3). Every rule is asked with it. */
  readonly height: number;
  /** Unix seconds of the block that holds the transaction, for the pool of the tip. */
  readonly blockTimestamp: number;
  /** The branch up to H. Ring members and spent key images are looked up here. */
  readonly view: ChainView;
  /** Judged for the pool, which applies some rules before their heights (protocol 6). */
  readonly pool: boolean;
  /** The block lies in the checkpoint zone: no proof of work, no look-ups, no signatures. Never in the pool. */
  readonly checkpointed: boolean;
  /** The node-wide median of protocol 5: at least the full reward zone of the next block. */
  readonly medianSize: number;
  /** Unix seconds of block H: time locks are judged by it from 600,000 on. */
  readonly tipTimestamp: number;
  /** Unix seconds of the clock: it judges time locks before that. */
  readonly now: number;
  /** `keyImageId`s of the block's earlier transactions; those of this one are added. */
  readonly spentInBlock: Set<string>;
}

/** A transaction judged as far as cheap checks go. */
export interface StagedTransaction {
  readonly transaction: ParsedTransaction;
  /** The first cheap refusal; a proof that fails comes before it, since staging stopped there. */
  readonly failure: ReasonCode | undefined;
  /** In the order of the rules. */
  readonly proofs: readonly Proof[];
  /** Atomic units; 0 while unknown because of a failure. */
  readonly fee: bigint;
  readonly isFusion: boolean;
}

/** What the steps of staging share and fill in. */
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

/** One rule: its refusal, or undefined to go on. */
export type TransactionStep = (staging: TransactionStaging) => ReasonCode | undefined;

/** A key image as a key of sets and maps. */
export function keyImageId(keyImage: Buffer): string {
  return keyImage.toString('hex');
}
