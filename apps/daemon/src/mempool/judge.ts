import type { RuleFailure } from '@wrkz/consensus';
import type { ParsedTransaction } from '@wrkz/core-types';
import type { CommonGround } from './faults';

/** Rules that a new block can change for a valid transaction: ring size, max size, unlock time. */
export interface Fitting {
  /** Equal for two fittings with the same ring sizes and max size. */
  readonly measure: string;
  /** Ring size and size only, without look-ups: it is called for the whole pool. */
  refuses(parsed: ParsedTransaction): RuleFailure | undefined;
  /** Whether no block from the next one on can hold a transaction with this unlock time. */
  isLapsed(unlockTime: bigint): boolean;
}

/** Judges transactions for the pool, always at the current tip of the chain. */
export interface PoolJudge {
  /** Max serialized bytes of a transaction at the current tip. */
  sizeLimit(): number;
  /** All rules of the pool, proofs included, at the current tip. */
  judge(parsed: ParsedTransaction): Promise<RuleFailure | undefined>;
  /** Whether a block added meanwhile holds the transaction or spends one of its key images. */
  settled(parsed: ParsedTransaction): 'in block' | RuleFailure | undefined;
  /** At the current tip. */
  fitting(): Fitting;
  /** How far a refusal at the current tip holds for every node. */
  ground(parsed: ParsedTransaction): CommonGround;
}
