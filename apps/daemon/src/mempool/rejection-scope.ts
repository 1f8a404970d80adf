import type { ReasonCode } from '@wrkz/consensus';

/**
 * Where a rejected transaction is invalid, which decides the penalty of its sender. `none`: it may be valid; it is known, or the
 * pool is full. `here`: it is invalid on our chain, but may be valid on another branch, or a few blocks earlier or later.
 * `everywhere`: no node of the network can have accepted it.
 */
export type RejectionScope = 'none' | 'here' | 'everywhere';

/**
 * The data that a rule depends on. `alone`: the bytes of the transaction. `rules`: also the rules in force. `rings`: also the
 * ring members. `chain`: data that changes from block to block.
 */
type Basis = 'alone' | 'rules' | 'rings' | 'chain';

/** The type requires an entry for each reason of consensus. Reasons that only apply to blocks never occur. */
const bases: Readonly<Record<ReasonCode, Basis>> = {
  EMPTY_INPUTS: 'alone',
  INPUT_UNKNOWN_TYPE: 'alone',
  INPUT_EMPTY_OUTPUT_USAGE: 'alone',
  INPUT_INVALID_DOMAIN_KEYIMAGES: 'alone',
  INPUT_IDENTICAL_KEYIMAGES: 'alone',
  INPUT_IDENTICAL_OUTPUT_INDEXES: 'alone',
  INPUTS_AMOUNT_OVERFLOW: 'alone',
  OUTPUT_ZERO_AMOUNT: 'alone',
  OUTPUT_INVALID_KEY: 'alone',
  OUTPUTS_AMOUNT_OVERFLOW: 'alone',
  WRONG_AMOUNT: 'alone',

  OUTPUT_AMOUNT_TOO_LARGE: 'rules',
  EXTRA_TOO_LARGE: 'rules',
  EXCESSIVE_OUTPUTS: 'rules',
  INVALID_MIXIN: 'rules',
  WRONG_FEE: 'rules',
  POW_INVALID: 'rules',

  INPUT_INVALID_SIGNATURES: 'rings',
  INPUT_INVALID_SIGNATURES_COUNT: 'rings',

  // The median of block sizes, spent key images, locks and the time of the tip differ a few blocks later, or on another branch.
  SIZE_TOO_LARGE: 'chain',
  INPUT_KEYIMAGE_ALREADY_SPENT: 'chain',
  INPUT_INVALID_GLOBAL_INDEX: 'chain',
  INPUT_SPEND_LOCKED_OUT: 'chain',
  UNLOCK_TIME_TOO_SMALL: 'chain',

  DESERIALIZATION_FAILED: 'alone',
  INPUT_WRONG_COUNT: 'chain',
  INPUT_UNEXPECTED_TYPE: 'chain',
  BASE_INPUT_WRONG_BLOCK_INDEX: 'chain',
  WRONG_TRANSACTION_UNLOCK_TIME: 'chain',
  ADDED_TO_MAIN: 'chain',
  ADDED_TO_ALTERNATIVE: 'chain',
  ADDED_TO_ALTERNATIVE_AND_SWITCHED: 'chain',
  ALREADY_EXISTS: 'chain',
  REJECTED_AS_ORPHANED: 'chain',
  WRONG_VERSION: 'chain',
  PARENT_BLOCK_SIZE_TOO_BIG: 'chain',
  PARENT_BLOCK_WRONG_VERSION: 'chain',
  TIMESTAMP_TOO_FAR_IN_FUTURE: 'chain',
  TIMESTAMP_TOO_FAR_IN_PAST: 'chain',
  CUMULATIVE_BLOCK_SIZE_TOO_BIG: 'chain',
  DIFFICULTY_OVERHEAD: 'chain',
  BLOCK_REWARD_MISMATCH: 'chain',
  CHECKPOINT_BLOCK_HASH_MISMATCH: 'chain',
  PROOF_OF_WORK_TOO_WEAK: 'chain',
  TRANSACTION_ABSENT_IN_POOL: 'chain',
  TRANSACTION_DUPLICATES: 'chain',
  TRANSACTION_INCONSISTENCY: 'chain',
};

/** Which data is the same on every chain that the sender may follow, because no reorganisation reaches it. */
export interface Finality {
  /** Whether the rules do not change within the max depth of a reorganisation below and above the tip. */
  rulesAreFinal(): boolean;
  /** Whether every ring member exists in a block below the max depth of a reorganisation. */
  ringsAreFinal(): boolean;
}

export function rejectionScope(code: ReasonCode, finality: Finality): RejectionScope {
  switch (bases[code]) {
    case 'alone':
      return 'everywhere';
    case 'rules':
      return finality.rulesAreFinal() ? 'everywhere' : 'here';
    case 'rings':
      return finality.rulesAreFinal() && finality.ringsAreFinal() ? 'everywhere' : 'here';
    case 'chain':
      return 'here';
  }
}
