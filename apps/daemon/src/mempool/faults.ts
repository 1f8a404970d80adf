import type { ReasonCode } from '@wrkz/consensus';

/**
 * Whether the sender of a refused transaction is at fault. `none`: the transaction is known, or the pool is full. `here`: it
 * does not fit our chain, but may fit another branch, or a chain a few blocks longer or shorter. `everywhere`: no node of the
 * network can have accepted it.
 */
export type Fault = 'none' | 'here' | 'everywhere';

/**
 * The data that a rule depends on. `alone`: the bytes of the transaction. `rules`: also the rules in force. `rings`: also the
 * ring members. `chain`: data that changes from block to block.
 */
type Basis = 'alone' | 'rules' | 'rings' | 'chain';

/** Complete by its type: a new reason in consensus does not compile until it is added here. Reasons of blocks never occur. */
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

/** How far the sender's chain can differ from ours. */
export interface CommonGround {
  /** Whether the rules are the same within the depth of a reorganisation around the tip. */
  rulesAreSettled(): boolean;
  /** Whether every ring member exists, too deep for a reorganisation. */
  ringsAreSettled(): boolean;
}

export function faultOf(code: ReasonCode, ground: CommonGround): Fault {
  switch (bases[code]) {
    case 'alone':
      return 'everywhere';
    case 'rules':
      return ground.rulesAreSettled() ? 'everywhere' : 'here';
    case 'rings':
      return ground.rulesAreSettled() && ground.ringsAreSettled() ? 'everywhere' : 'here';
    case 'chain':
      return 'here';
  }
}
