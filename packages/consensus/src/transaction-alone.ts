import {
  type FeeRule,
  MAX_EXTRA_SIZE,
  MAX_TRANSACTION_OUTPUTS,
  MAX_UINT64,
  type MixinRange,
  type TransactionInput,
} from '@wrkz/core-types';
import { isFusion } from './fusion';
import { transactionSizeLimit } from './sizes';
import { keyImageId, type TransactionStep } from './transaction-context';
import { unlockTimeAllowed } from './unlock';

/*
 * The rules that need only the transaction, the height and the block: one function each, steps 1 to 8
 * of docs/protocol/transactions.md#order-of-rules.
 */

export const checkSize: TransactionStep = ({ parsed, context }) =>
  parsed.size > transactionSizeLimit(context.medianSize) ? 'SIZE_TOO_LARGE' : undefined;

/** A key image may occur once in the transaction and once in the block. */
export const checkInputs: TransactionStep = (staging) => {
  const { parsed, context, proofs } = staging;
  const { inputs } = parsed.transaction;
  if (inputs.length === 0) return 'EMPTY_INPUTS';
  const keyImages = new Set<string>();
  for (const input of inputs) {
    if (input.type !== 'key') return 'INPUT_UNKNOWN_TYPE';
    const id = keyImageId(input.keyImage);
    if (keyImages.has(id)) return 'INPUT_IDENTICAL_KEYIMAGES';
    keyImages.add(id);
    if (input.keyOffsets.length === 0) return 'INPUT_EMPTY_OUTPUT_USAGE';
    proofs.push({ kind: 'keyImage', keyImage: input.keyImage, transaction: parsed });
    if (input.keyOffsets.includes(0, 1)) return 'INPUT_IDENTICAL_OUTPUT_INDEXES';
    if (context.spentInBlock.has(id)) return 'INPUT_KEYIMAGE_ALREADY_SPENT';
    context.spentInBlock.add(id);
    staging.inputSum += input.amount;
    if (staging.inputSum > MAX_UINT64) return 'INPUTS_AMOUNT_OVERFLOW';
  }
  return undefined;
};

export const checkOutputs: TransactionStep = (staging) => {
  const { parsed, rules, proofs } = staging;
  for (const { amount, key } of parsed.transaction.outputs) {
    if (amount === 0n) return 'OUTPUT_ZERO_AMOUNT';
    if (rules.maxOutputAmount !== undefined && amount > rules.maxOutputAmount) return 'OUTPUT_AMOUNT_TOO_LARGE';
    proofs.push({ kind: 'outputKey', key, transaction: parsed });
    staging.outputSum += amount;
    if (staging.outputSum > MAX_UINT64) return 'OUTPUTS_AMOUNT_OVERFLOW';
  }
  return undefined;
};

/** Inputs with a sum of 0 cause an exception in the reference; here they are rejected. */
export const checkAmounts: TransactionStep = (staging) => {
  if (staging.inputSum === 0n || staging.outputSum > staging.inputSum) return 'WRONG_AMOUNT';
  staging.fee = staging.inputSum - staging.outputSum;
  return undefined;
};

export const checkFee: TransactionStep = (staging) => {
  const { parsed, rules, fee } = staging;
  const { inputs, outputs } = parsed.transaction;
  staging.isFusion = isFusion(
    inputs.map((input) => (input.type === 'key' ? input.amount : 0n)),
    outputs.map((output) => output.amount),
    parsed.size,
    rules,
  );
  const minimum = staging.isFusion ? rules.fusionFee : minimumFee(parsed.size, rules.feeRule);
  return fee < minimum ? 'WRONG_FEE' : undefined;
};

export const checkExtra: TransactionStep = ({ parsed, context, rules }) => {
  const limit = context.pool ? MAX_EXTRA_SIZE : rules.extraLimit;
  return limit !== undefined && parsed.transaction.extra.length >= limit ? 'EXTRA_TOO_LARGE' : undefined;
};

export const checkUnlockTime: TransactionStep = ({ parsed, context, rules }) => {
  if (rules.minimumUnlock === undefined) return undefined;
  const { height, blockTimestamp } = context;
  return unlockTimeAllowed(parsed.transaction.unlockTime, rules.minimumUnlock, height, blockTimestamp)
    ? undefined
    : 'UNLOCK_TIME_TOO_SMALL';
};

export const checkOutputCount: TransactionStep = ({ parsed, context, rules }) => {
  const limit = context.pool ? MAX_TRANSACTION_OUTPUTS : rules.maxOutputs;
  return limit !== undefined && parsed.transaction.outputs.length > limit ? 'EXCESSIVE_OUTPUTS' : undefined;
};

export const checkRingSizes: TransactionStep = ({ parsed, rules }) =>
  mixinAllowed(parsed.transaction.inputs, rules.mixin) ? undefined : 'INVALID_MIXIN';

/**
 * The min fee of a transaction of `size` bytes that is not a fusion (docs/protocol/transactions.md#fees), by the rules of
 * the previous block's index.
 */
export function minimumFee(size: number, rule: FeeRule): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  return BigInt(Math.ceil(size / rule.chunk)) * rule.amount;
}

/**
 * Whether the rings of a transaction have an allowed size (docs/protocol/transactions.md#ring-sizes): the maximum is
 * checked against the largest, the minimum against the largest or the smallest, depending on the height.
 */
export function mixinAllowed(inputs: readonly TransactionInput[], range: MixinRange): boolean {
  let largest = 1;
  let smallest = Infinity;
  for (const input of inputs) {
    const ring = input.type === 'key' ? input.keyOffsets.length : 1;
    largest = Math.max(largest, ring);
    smallest = Math.min(smallest, Math.max(1, ring));
  }
  if (smallest === Infinity) smallest = 1;
  const compared = range.minAppliesTo === 'smallest' ? smallest : largest;
  return largest - 1 <= range.max && compared - 1 >= range.min;
}
