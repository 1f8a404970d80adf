import type { RuleFailure } from '@wrkz/consensus';
import type { ParsedTransaction } from '@wrkz/core-types';
import type { CommonGround } from './faults';

/** What a new block can change for a transaction that passed: the ring size and the size allowed at the tip. */
export interface Fitting {
  /** Two fittings of one measure allow the same. */
  readonly measure: string;
  /** Does no look-ups, because the whole pool is checked with it. */
  refuses(parsed: ParsedTransaction): RuleFailure | undefined;
  /** Whether no block from the next one on can hold a transaction with this unlock time. */
  isLapsed(unlockTime: bigint): boolean;
}

/** Judges transactions for the pool, always against the tip of the chain as it is at that moment. */
export interface PoolJudge {
  /** Serialized bytes that a transaction may have at the present tip. */
  sizeLimit(): number;
  /** Every rule, proofs included, as for the pool at the present tip. */
  judge(parsed: ParsedTransaction): Promise<RuleFailure | undefined>;
  /** Already in a block, or a key image spent there: what a block may have done while the proofs ran. */
  settled(parsed: ParsedTransaction): 'in block' | RuleFailure | undefined;
  /** At the present tip. */
  fitting(): Fitting;
  /** How much of what the present tip says of a transaction holds for every node. */
  ground(parsed: ParsedTransaction): CommonGround;
}
