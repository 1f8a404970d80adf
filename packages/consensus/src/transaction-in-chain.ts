import type { KeyInput, ParsedTransaction } from '@wrkz/core-types';
import type { ReasonCode } from './errors';
import type { TransactionStaging, TransactionStep } from './transaction-context';
import { TX_POW_ALGORITHM, transactionPowDifficulty } from './tx-pow';
import { isUnlocked, type LockTime } from './unlock';
import type { ChainView } from './view';

/*
 * Steps 9 and 10 of docs/protocol/transactions.md#order-of-rules: the transaction's proof of work, and chain data of each
 * input. Both are skipped in the checkpoint zone, where a known hash replaces them.
 */

const SIGNATURE_SIZE = 64;

/** From 1,500,000 on a large fee replaces the proof of work, but never for a fusion. */
export const checkProofOfWork: TransactionStep = ({ parsed, context, rules, proofs, fee, isFusion }) => {
  if (context.checkpointed) return undefined;
  if (!isFusion && rules.feeEscapesPow !== undefined && fee >= rules.feeEscapesPow) return undefined;
  const difficulty = transactionPowDifficulty(parsed.transaction, context.network, context.height, isFusion);
  if (difficulty > 0n) {
    const work = { algorithm: TX_POW_ALGORITHM, input: parsed.prefixBytes, difficulty };
    proofs.push({ kind: 'txPow', ...work, transaction: parsed });
  }
  return undefined;
};

export const checkRings: TransactionStep = (staging) => {
  if (staging.context.checkpointed) return undefined;
  const { inputs, signatures } = staging.parsed.transaction;
  for (const [i, input] of inputs.entries()) {
    if (input.type !== 'key') continue;
    const refusal = checkRing(staging, input, signatures[i] ?? Buffer.alloc(0));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
};

function checkRing(staging: TransactionStaging, input: KeyInput, signatures: Buffer): ReasonCode | undefined {
  const { parsed, context, rules, proofs } = staging;
  const { view, height } = context;
  const spentAt = view.keyImageHeight(input.keyImage);
  if (spentAt !== undefined && spentAt <= height) return 'INPUT_KEYIMAGE_ALREADY_SPENT';
  // A C++ node finds members above a fork by binary search and refuses this ring for them; a node without a fork accepts it.
  if (context.pool && sumExceeds32Bits(input.keyOffsets)) return 'INPUT_INVALID_GLOBAL_INDEX';

  const lock = { height, timestamp: rules.timeLockByTip ? context.tipTimestamp : context.now };
  const publicKeys = ringMembers(view, input, lock);
  if (publicKeys === undefined) return 'INPUT_SPEND_LOCKED_OUT';
  const countChecked = context.pool || rules.signatureCountChecked;
  if (countChecked && signatures.length !== publicKeys.length * SIGNATURE_SIZE) return 'INPUT_INVALID_SIGNATURES_COUNT';
  // An empty ring has no valid signature. Early blocks may carry more signatures than members.
  if (publicKeys.length === 0) return 'INPUT_INVALID_SIGNATURES';
  proofs.push({
    kind: 'ring',
    check: {
      prefixHash: parsed.prefixHash,
      keyImage: input.keyImage,
      publicKeys,
      signatures: signatures.subarray(0, publicKeys.length * SIGNATURE_SIZE),
    },
    transaction: parsed,
  });
  return undefined;
}

/** Whether a ring member of any input is still locked. */
export function spendsLocked({ transaction }: ParsedTransaction, view: ChainView, lock: LockTime): boolean {
  return transaction.inputs.some((input) => input.type === 'key' && ringMembers(view, input, lock) === undefined);
}

/**
 * The keys of a ring in ascending order of their global index. A nonexistent index is skipped
 * here; then the count of signatures, which is compared next, does not match. Undefined if a found one is still
 * locked.
 */
function ringMembers(view: ChainView, input: KeyInput, lock: LockTime): Buffer[] | undefined {
  const keys: Buffer[] = [];
  for (const index of ringIndexes(input.keyOffsets)) {
    const output = view.output(input.amount, index);
    if (output === undefined) continue;
    if (!isUnlocked(output.unlockTime, lock)) return undefined;
    keys.push(output.key);
  }
  return keys;
}

function sumExceeds32Bits(keyOffsets: readonly number[]): boolean {
  return keyOffsets.reduce((sum, offset) => sum + offset, 0) > 0xffff_ffff;
}

/**
 * The global indexes of relative offsets: cumulative sums modulo 2^32, as a set in ascending order, so that a repeated index
 * counts once (docs/protocol/transactions.md#ring-members).
 */
export function ringIndexes(keyOffsets: readonly number[]): number[] {
  const indexes: number[] = [];
  let sum = 0;
  let ascending = true;
  for (const [i, offset] of keyOffsets.entries()) {
    const next = (sum + offset) >>> 0;
    if (i > 0 && next <= sum) ascending = false;
    indexes.push(next);
    sum = next;
  }
  return ascending ? indexes : [...new Set(indexes)].sort((a, b) => a - b);
}
