import type { RuleFailure } from '@wrkz/consensus';
import type { ParsedTransaction } from '@wrkz/core-types';

/** What a new block can change for a transaction that passed: the ring size and the size allowed at the top. */
export interface Fitting {
  /** Two fittings of one measure allow the same. */
  readonly measure: string;
  /** No look-ups: the whole pool is held against it. */
  refuses(parsed: ParsedTransaction): RuleFailure | undefined;
}

/** Judges transactions for the pool, always against the top of the chain as it is at that moment. */
export interface PoolJudge {
  /** Serialized bytes that a transaction may have at the present tip. */
  sizeLimit(): number;
  /** Every rule, proofs included, as for the pool at the present top. */
  judge(parsed: ParsedTransaction): Promise<RuleFailure | undefined>;
  /** Already in a block, or an image spent there: what a block may have done while the proofs ran. */
  settled(parsed: ParsedTransaction): 'in block' | RuleFailure | undefined;
  /** At the present top. */
  fitting(): Fitting;
}
