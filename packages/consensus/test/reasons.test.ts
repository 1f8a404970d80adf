import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Reason, REASONS, RuleFailure, type ReasonCode } from '@wrkz/consensus';

/** Reasons that no rule of this package returns, and their sources. */
const ELSEWHERE: Partial<Record<ReasonCode, string>> = {
  ADDED_TO_MAIN: 'a success of the chain engine',
  ADDED_TO_ALTERNATIVE: 'a success of the chain engine',
  ADDED_TO_ALTERNATIVE_AND_SWITCHED: 'a success of the chain engine',
  ALREADY_EXISTS: 'a success of the chain engine, which knows the stored blocks',
  TRANSACTION_ABSENT_IN_POOL: 'submitblock, which knows the pool',
};

/** Values of AddBlockErrorCode, BlockValidationError and TransactionValidationError, and their texts by number. */
const RECORDED = [
  ['A1', 'ADDED_TO_MAIN', 'Block added to main chain'],
  ['A2', 'ADDED_TO_ALTERNATIVE', 'Block added to alternative chain'],
  ['A3', 'ADDED_TO_ALTERNATIVE_AND_SWITCHED', 'Chain switched'],
  ['A4', 'ALREADY_EXISTS', 'Block already exists'],
  ['A5', 'REJECTED_AS_ORPHANED', 'Block rejected as orphaned'],
  ['A6', 'DESERIALIZATION_FAILED', 'Deserialization error'],
  ['B1', 'WRONG_VERSION', 'Wrong block version'],
  ['B2', 'PARENT_BLOCK_SIZE_TOO_BIG', 'Parent block size is too big'],
  ['B3', 'PARENT_BLOCK_WRONG_VERSION', 'Parent block has wrong version'],
  ['B4', 'TIMESTAMP_TOO_FAR_IN_FUTURE', 'Timestamp is too far in future'],
  ['B5', 'TIMESTAMP_TOO_FAR_IN_PAST', 'Timestamp is too far in past'],
  ['B6', 'CUMULATIVE_BLOCK_SIZE_TOO_BIG', 'Cumulative block size is too big'],
  ['B7', 'DIFFICULTY_OVERHEAD', 'Block difficulty overhead occurred'],
  ['B8', 'BLOCK_REWARD_MISMATCH', "Block reward doesn't match expected reward"],
  ['B9', 'CHECKPOINT_BLOCK_HASH_MISMATCH', 'Checkpoint block hash mismatch'],
  ['B10', 'PROOF_OF_WORK_TOO_WEAK', 'Proof of work is too weak'],
  ['B11', 'TRANSACTION_ABSENT_IN_POOL', "Block's transaction is absent in transaction pool"],
  ['B12', 'TRANSACTION_DUPLICATES', 'Block contains duplicate transaction hashes'],
  ['B13', 'TRANSACTION_INCONSISTENCY', 'Block contains inconsisten transaction hashes'],
  ['T1', 'EMPTY_INPUTS', 'Transaction has no inputs'],
  ['T2', 'INPUT_UNKNOWN_TYPE', 'Transaction has input with unknown type'],
  ['T3', 'INPUT_EMPTY_OUTPUT_USAGE', "Transaction's input uses empty output"],
  ['T4', 'INPUT_INVALID_DOMAIN_KEYIMAGES', 'Transaction uses key image not in the valid domain'],
  ['T5', 'INPUT_IDENTICAL_KEYIMAGES', 'Transaction has identical key images'],
  ['T6', 'INPUT_IDENTICAL_OUTPUT_INDEXES', 'Transaction has identical output indexes'],
  ['T7', 'INPUT_KEYIMAGE_ALREADY_SPENT', 'Transaction contains an input which has already been spent'],
  ['T8', 'INPUT_INVALID_GLOBAL_INDEX', 'Transaction has input with invalid global index'],
  ['T9', 'INPUT_SPEND_LOCKED_OUT', 'Transaction uses locked input'],
  ['T10', 'INPUT_INVALID_SIGNATURES', 'Transaction has input with invalid signature'],
  ['T12', 'INPUTS_AMOUNT_OVERFLOW', "Transaction's inputs sum overflow"],
  ['T13', 'INPUT_WRONG_COUNT', 'Wrong input count'],
  ['T14', 'INPUT_UNEXPECTED_TYPE', 'Wrong input type'],
  ['T15', 'BASE_INPUT_WRONG_BLOCK_INDEX', 'Base input has wrong block index'],
  ['T16', 'OUTPUT_ZERO_AMOUNT', 'Transaction has zero output amount'],
  ['T17', 'OUTPUT_INVALID_KEY', 'Transaction has output with invalid key'],
  ['T20', 'OUTPUTS_AMOUNT_OVERFLOW', 'Transaction has outputs amount overflow'],
  ['T21', 'WRONG_AMOUNT', 'Transaction wrong amount'],
  ['T22', 'WRONG_TRANSACTION_UNLOCK_TIME', 'Transaction has wrong unlock time'],
  ['T23', 'INVALID_MIXIN', 'Mixin too large or too small'],
  ['T24', 'EXTRA_TOO_LARGE', 'Transaction extra too large'],
  ['T26', 'INPUT_INVALID_SIGNATURES_COUNT', 'The number of input signatures is not correct'],
  ['T27', 'OUTPUT_AMOUNT_TOO_LARGE', 'Transaction has output exceeding max output size'],
  ['T28', 'EXCESSIVE_OUTPUTS', 'Transaction has an excessive number of outputs for the input count'],
  ['T29', 'WRONG_FEE', 'Transaction fee is below minimum fee and is not a fusion transaction'],
  ['T30', 'SIZE_TOO_LARGE', 'Transaction is too large (in bytes)'],
  ['T31', 'POW_INVALID', 'Transaction has a too weak proof of work'],
  ['T32', 'UNLOCK_TIME_TOO_SMALL', 'Transaction has a too small unlock time'],
] as const;

/** Our reasons for which the C++ program has no name. */
const OURS: readonly string[] = [];

const codes = Object.keys(REASONS) as ReasonCode[];

const sources = readdirSync(__dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(__dirname, name), 'utf8'));

const tested = new Set(
  sources.flatMap((text) => [...text.matchAll(/refuses\(\s*'([A-Z_]+)'/g)].map((match) => match[1])),
);

test.each(codes)('%s is provoked by a test', (code) => {
  expect(tested.has(code) || ELSEWHERE[code] !== undefined).toBe(true);
});

test('reasons documented as raised elsewhere are not provoked here', () => {
  expect(Object.keys(ELSEWHERE).filter((code) => tested.has(code))).toEqual([]);
});

test('every reason has the name, the number and the text of the C++ enumerations, or is listed as ours', () => {
  const table = (Object.entries(REASONS) as [ReasonCode, Reason][])
    .filter(([code]) => !OURS.includes(code))
    .map(([code, { short, text }]) => [short, code, text]);
  expect(table).toEqual(RECORDED);
  expect(OURS.filter((code) => !(code in REASONS))).toEqual([]);
});

test('no two reasons share a text or a number', () => {
  const reasons = Object.values(REASONS);
  expect(new Set(reasons.map(({ text }) => text)).size).toBe(reasons.length);
  expect(new Set(reasons.map(({ short }) => short)).size).toBe(reasons.length);
});

test('a rejection has the text that clients parse', () => {
  const failure = new RuleFailure('TRANSACTION_INCONSISTENCY', {
    transactionHash: Buffer.alloc(32),
    detail: '2 in place of 3',
  });
  expect(failure.message).toBe('Block contains inconsisten transaction hashes');
});
