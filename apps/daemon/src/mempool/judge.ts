import type { RuleFailure } from '@wrkz/consensus';
import type { ParsedTransaction } from '@wrkz/core-types';

/** Judges transactions for the pool, always against the top of the chain as it is at that moment. */
export interface PoolJudge {
  /** Serialized bytes that a transaction may have at the present top (T30). */
  sizeLimit(): number;
  /** Every rule, proofs included, as for the pool at the present top. */
  judge(parsed: ParsedTransaction): Promise<RuleFailure | undefined>;
  /**
   * What a new block can change for a transaction that passed: already in a block, an image spent, the ring size and
   * the size at the new top. Cheap.
   */
  recheck(parsed: ParsedTransaction): 'fits' | 'in block' | RuleFailure;
}
