import type { RuleFailure } from '@wrkz/consensus';
import type { ParsedTransaction } from '@wrkz/core-types';
import type { Finality } from './rejection-scope';

/** Rules whose limits a new block can change for a valid transaction: ring size, max size, unlock time. */
export interface TipLimits {
  /** Equal if and only if ring sizes and max size are equal. */
  readonly key: string;
  /** Checks ring size and size only. No database lookups: it is called for every transaction of the pool. */
  check(parsed: ParsedTransaction): RuleFailure | undefined;
  /** Max serialized bytes of a transaction in a template. Blocks may contain larger ones. */
  readonly templateBytes: number;
  /** Whether neither the next block nor any later one can include a transaction with this unlock time. */
  isUnlockTimeExpired(unlockTime: bigint): boolean;
}

/** Validates transactions for the pool, always at the current tip of the chain. */
export interface PoolValidator {
  /** Max serialized bytes of a transaction at the current tip. */
  sizeLimit(): number;
  /** Checks all rules of the pool, including proofs, at the current tip. */
  validate(parsed: ParsedTransaction): Promise<RuleFailure | undefined>;
  /** Whether a block added since `validate` includes the transaction or spends one of its key images. */
  checkSpent(parsed: ParsedTransaction): 'in block' | RuleFailure | undefined;
  /** The limits that apply at the current tip. */
  tipLimits(): TipLimits;
  /** Whether a rejection at the current tip holds for every node. */
  finality(parsed: ParsedTransaction): Finality;
}
