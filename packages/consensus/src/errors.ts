/**
 * Every result of the validation of a block or a transaction (docs/protocol/reasons.md#reasons). The names are those of the
 * C++ enumerations, so that logs and sources of both programs can be searched for the same name. Clients get the texts.
 */
export interface Reason {
  /** The number in the protocol document; the program does not use it. */
  readonly short: string;
  /** The text of the C++ program, its spelling included. */
  readonly text: string;
}

/** AddBlockErrorCode: the result of adding a block. */
const ADD_BLOCK = {
  ADDED_TO_MAIN: { short: 'A1', text: 'Block added to main chain' },
  ADDED_TO_ALTERNATIVE: { short: 'A2', text: 'Block added to alternative chain' },
  ADDED_TO_ALTERNATIVE_AND_SWITCHED: { short: 'A3', text: 'Chain switched' },
  ALREADY_EXISTS: { short: 'A4', text: 'Block already exists' },
  REJECTED_AS_ORPHANED: { short: 'A5', text: 'Block rejected as orphaned' },
  DESERIALIZATION_FAILED: { short: 'A6', text: 'Deserialization error' },
} as const satisfies Record<string, Reason>;

/** BlockValidationError: a rule of blocks is broken. */
const BLOCK_VALIDATION = {
  WRONG_VERSION: { short: 'B1', text: 'Wrong block version' },
  PARENT_BLOCK_SIZE_TOO_BIG: { short: 'B2', text: 'Parent block size is too big' },
  PARENT_BLOCK_WRONG_VERSION: { short: 'B3', text: 'Parent block has wrong version' },
  TIMESTAMP_TOO_FAR_IN_FUTURE: { short: 'B4', text: 'Timestamp is too far in future' },
  TIMESTAMP_TOO_FAR_IN_PAST: { short: 'B5', text: 'Timestamp is too far in past' },
  CUMULATIVE_BLOCK_SIZE_TOO_BIG: { short: 'B6', text: 'Cumulative block size is too big' },
  DIFFICULTY_OVERHEAD: { short: 'B7', text: 'Block difficulty overhead occurred' },
  BLOCK_REWARD_MISMATCH: { short: 'B8', text: "Block reward doesn't match expected reward" },
  CHECKPOINT_BLOCK_HASH_MISMATCH: { short: 'B9', text: 'Checkpoint block hash mismatch' },
  PROOF_OF_WORK_TOO_WEAK: { short: 'B10', text: 'Proof of work is too weak' },
  TRANSACTION_ABSENT_IN_POOL: { short: 'B11', text: "Block's transaction is absent in transaction pool" },
  TRANSACTION_DUPLICATES: { short: 'B12', text: 'Block contains duplicate transaction hashes' },
  TRANSACTION_INCONSISTENCY: { short: 'B13', text: 'Block contains inconsisten transaction hashes' },
} as const satisfies Record<string, Reason>;

/** TransactionValidationError: a rule of transactions is broken. Missing numbers are names that no rule uses. */
const TRANSACTION_VALIDATION = {
  EMPTY_INPUTS: { short: 'T1', text: 'Transaction has no inputs' },
  INPUT_UNKNOWN_TYPE: { short: 'T2', text: 'Transaction has input with unknown type' },
  INPUT_EMPTY_OUTPUT_USAGE: { short: 'T3', text: "Transaction's input uses empty output" },
  INPUT_INVALID_DOMAIN_KEYIMAGES: { short: 'T4', text: 'Transaction uses key image not in the valid domain' },
  INPUT_IDENTICAL_KEYIMAGES: { short: 'T5', text: 'Transaction has identical key images' },
  INPUT_IDENTICAL_OUTPUT_INDEXES: { short: 'T6', text: 'Transaction has identical output indexes' },
  INPUT_KEYIMAGE_ALREADY_SPENT: { short: 'T7', text: 'Transaction contains an input which has already been spent' },
  INPUT_INVALID_GLOBAL_INDEX: { short: 'T8', text: 'Transaction has input with invalid global index' },
  INPUT_SPEND_LOCKED_OUT: { short: 'T9', text: 'Transaction uses locked input' },
  INPUT_INVALID_SIGNATURES: { short: 'T10', text: 'Transaction has input with invalid signature' },
  INPUTS_AMOUNT_OVERFLOW: { short: 'T12', text: "Transaction's inputs sum overflow" },
  INPUT_WRONG_COUNT: { short: 'T13', text: 'Wrong input count' },
  INPUT_UNEXPECTED_TYPE: { short: 'T14', text: 'Wrong input type' },
  BASE_INPUT_WRONG_BLOCK_INDEX: { short: 'T15', text: 'Base input has wrong block index' },
  OUTPUT_ZERO_AMOUNT: { short: 'T16', text: 'Transaction has zero output amount' },
  OUTPUT_INVALID_KEY: { short: 'T17', text: 'Transaction has output with invalid key' },
  OUTPUTS_AMOUNT_OVERFLOW: { short: 'T20', text: 'Transaction has outputs amount overflow' },
  WRONG_AMOUNT: { short: 'T21', text: 'Transaction wrong amount' },
  WRONG_TRANSACTION_UNLOCK_TIME: { short: 'T22', text: 'Transaction has wrong unlock time' },
  INVALID_MIXIN: { short: 'T23', text: 'Mixin too large or too small' },
  EXTRA_TOO_LARGE: { short: 'T24', text: 'Transaction extra too large' },
  INPUT_INVALID_SIGNATURES_COUNT: { short: 'T26', text: 'The number of input signatures is not correct' },
  OUTPUT_AMOUNT_TOO_LARGE: { short: 'T27', text: 'Transaction has output exceeding max output size' },
  EXCESSIVE_OUTPUTS: { short: 'T28', text: 'Transaction has an excessive number of outputs for the input count' },
  WRONG_FEE: { short: 'T29', text: 'Transaction fee is below minimum fee and is not a fusion transaction' },
  SIZE_TOO_LARGE: { short: 'T30', text: 'Transaction is too large (in bytes)' },
  POW_INVALID: { short: 'T31', text: 'Transaction has a too weak proof of work' },
  UNLOCK_TIME_TOO_SMALL: { short: 'T32', text: 'Transaction has a too small unlock time' },
} as const satisfies Record<string, Reason>;

export const REASONS = { ...ADD_BLOCK, ...BLOCK_VALIDATION, ...TRANSACTION_VALIDATION };

/** Results without a broken rule. */
export type AddBlockCode = keyof typeof ADD_BLOCK;

export type ReasonCode = keyof typeof REASONS;

/** The reason why a block or a transaction is rejected. A value, not an exception: a rejection is an ordinary result. */
export class RuleFailure {
  readonly code: ReasonCode;
  /** The invalid transaction of a block, if a single one is invalid. */
  readonly transactionHash: Buffer | undefined;
  /** Values for the log; never part of a response. */
  readonly detail: string | undefined;

  constructor(code: ReasonCode, context: { transactionHash?: Buffer | undefined; detail?: string | undefined } = {}) {
    this.code = code;
    this.transactionHash = context.transactionHash;
    this.detail = context.detail;
  }

  /** The text of the table, as sent to clients. */
  get message(): string {
    return REASONS[this.code].text;
  }
}
