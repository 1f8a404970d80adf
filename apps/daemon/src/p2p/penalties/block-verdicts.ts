import type { ReasonCode } from '@wrkz/consensus';
import { closeReasons, type CloseReason } from './close-reasons';

const { checkpointMismatch, invalidBlock, orphans, tooEarlyBlock } = closeReasons;

/**
 * What each answer of the chain to a block says of the peer that brought it: why its connection ends, if it comes to
 * that; `undefined` when nothing speaks against it. A reason that is new in consensus does not compile before it has been
 * decided here.
 */
const verdicts: Readonly<Record<ReasonCode, CloseReason | undefined>> = {
  // The block is stored.
  ADDED_TO_MAIN: undefined,
  ADDED_TO_ALTERNATIVE: undefined,
  ADDED_TO_ALTERNATIVE_AND_SWITCHED: undefined,
  ALREADY_EXISTS: undefined,

  // No parent, or a branch too deep: it fails for what we hold, which is not the sender's doing.
  REJECTED_AS_ORPHANED: orphans,
  // Our clock may be the one that is wrong.
  TIMESTAMP_TOO_FAR_IN_FUTURE: tooEarlyBlock,

  // Whoever serves another chain than the checkpoints' is of no use to us.
  CHECKPOINT_BLOCK_HASH_MISMATCH: checkpointMismatch,

  // The sender had to judge the block before passing it on, by the same chain: whatever else fails is its fault.
  DESERIALIZATION_FAILED: invalidBlock,
  WRONG_VERSION: invalidBlock,
  PARENT_BLOCK_SIZE_TOO_BIG: invalidBlock,
  PARENT_BLOCK_WRONG_VERSION: invalidBlock,
  TIMESTAMP_TOO_FAR_IN_PAST: invalidBlock,
  CUMULATIVE_BLOCK_SIZE_TOO_BIG: invalidBlock,
  DIFFICULTY_OVERHEAD: invalidBlock,
  BLOCK_REWARD_MISMATCH: invalidBlock,
  PROOF_OF_WORK_TOO_WEAK: invalidBlock,
  TRANSACTION_ABSENT_IN_POOL: invalidBlock,
  TRANSACTION_DUPLICATES: invalidBlock,
  TRANSACTION_INCONSISTENCY: invalidBlock,

  EMPTY_INPUTS: invalidBlock,
  INPUT_UNKNOWN_TYPE: invalidBlock,
  INPUT_EMPTY_OUTPUT_USAGE: invalidBlock,
  INPUT_INVALID_DOMAIN_KEYIMAGES: invalidBlock,
  INPUT_IDENTICAL_KEYIMAGES: invalidBlock,
  INPUT_IDENTICAL_OUTPUT_INDEXES: invalidBlock,
  INPUT_KEYIMAGE_ALREADY_SPENT: invalidBlock,
  INPUT_INVALID_GLOBAL_INDEX: invalidBlock,
  INPUT_SPEND_LOCKED_OUT: invalidBlock,
  INPUT_INVALID_SIGNATURES: invalidBlock,
  INPUTS_AMOUNT_OVERFLOW: invalidBlock,
  INPUT_WRONG_COUNT: invalidBlock,
  INPUT_UNEXPECTED_TYPE: invalidBlock,
  BASE_INPUT_WRONG_BLOCK_INDEX: invalidBlock,
  OUTPUT_ZERO_AMOUNT: invalidBlock,
  OUTPUT_INVALID_KEY: invalidBlock,
  OUTPUTS_AMOUNT_OVERFLOW: invalidBlock,
  WRONG_AMOUNT: invalidBlock,
  WRONG_TRANSACTION_UNLOCK_TIME: invalidBlock,
  INVALID_MIXIN: invalidBlock,
  EXTRA_TOO_LARGE: invalidBlock,
  INPUT_INVALID_SIGNATURES_COUNT: invalidBlock,
  OUTPUT_AMOUNT_TOO_LARGE: invalidBlock,
  EXCESSIVE_OUTPUTS: invalidBlock,
  WRONG_FEE: invalidBlock,
  SIZE_TOO_LARGE: invalidBlock,
  POW_INVALID: invalidBlock,
  UNLOCK_TIME_TOO_SMALL: invalidBlock,
};

/** Why the connection ends to a peer whose block the chain answered with `code`; `undefined` when it stays. */
export function closeReasonOfBlock(code: ReasonCode): CloseReason | undefined {
  return verdicts[code];
}
