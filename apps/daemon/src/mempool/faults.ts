import type { ReasonCode } from '@wrkz/consensus';

/**
 * What a refusal says of whoever sent the transaction on. `none`: nothing is wrong with it, we have it or have no place
 * for it. `here`: it does not fit our chain, and might fit another branch, or a chain a little longer or shorter.
 * `everywhere`: no node of the network can have taken it.
 */
export type Fault = 'none' | 'here' | 'everywhere';

/**
 * What a rule looks at. `alone`: the bytes of the transaction. `rules`: these and the rules in force. `rings`: these and
 * the outputs that its rings name. `chain`: what changes from block to block.
 */
type Basis = 'alone' | 'rules' | 'rings' | 'chain';

/** A reason that is new in consensus does not compile before it has been decided here. Those of blocks never come. */
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

  // The median of block sizes, spent images, locks and the tip's time are others a few blocks on, or on another branch.
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

/** What the judge knows of how far its chain can differ from a sender's. */
export interface CommonGround {
  /** Whether the rules are the same for every node within a reorganisation's depth of the tip. */
  rulesAreSettled(): boolean;
  /** Whether every ring member is there and lies too deep for a reorganisation. */
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
