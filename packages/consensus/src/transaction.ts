import type { ParsedTransaction } from '@wrkz/core-types';
import { RuleFailure, type ReasonCode } from './errors';
import { firstFailure, type Proof } from './proofs';
import {
  checkAmounts,
  checkExtra,
  checkFee,
  checkInputs,
  checkOutputCount,
  checkOutputs,
  checkRingSizes,
  checkSize,
  checkUnlockTime,
} from './transaction-alone';
import type { StagedTransaction, TransactionContext, TransactionStaging, TransactionStep } from './transaction-context';
import { checkProofOfWork, checkRings } from './transaction-in-chain';

/** The rules of a transaction in the order of the reference. The first broken rule is the error. */
const STEPS: readonly TransactionStep[] = [
  checkSize,
  checkInputs,
  checkOutputs,
  checkAmounts,
  checkFee,
  checkExtra,
  checkUnlockTime,
  checkOutputCount,
  checkRingSizes,
  checkProofOfWork,
  checkRings,
];

/**
 * The rules that a template checks again for a pooled transaction (docs/protocol/blocks.md#block-templates). Signatures and
 * chain data were checked on admission to the pool; a block that spends its inputs removes it from the pool.
 */
const TEMPLATE_STEPS: readonly TransactionStep[] = [
  checkSize,
  checkExtra,
  checkRingSizes,
  checkInputs,
  checkOutputs,
  checkUnlockTime,
  checkAmounts,
  checkFee,
];

/**
 * Runs the cheap checks of a transaction and collects the costly proofs. No hashing and no curve arithmetic here.
 */
export function stageTransaction(transaction: ParsedTransaction, context: TransactionContext): StagedTransaction {
  return stage(transaction, context, STEPS);
}

/**
 * The validation result of a staged transaction.
 *
 * @param verdicts whether each of `staged.proofs` is valid, from `runProofs`
 * @returns the failure that the reference would report; undefined for a valid transaction
 */
export function settleTransaction(staged: StagedTransaction, verdicts: readonly boolean[]): RuleFailure | undefined {
  const failed = firstFailure(staged.proofs, verdicts);
  if (failed !== undefined) return failed;
  if (staged.failure === undefined) return undefined;
  return new RuleFailure(staged.failure, { transactionHash: staged.transaction.hash });
}

/**
 * Validates a pooled transaction for a template.
 *
 * @param context with `height` = the template's own index, `pool: true` and an empty `spentInBlock`
 * @returns the proof of work to check, in the hundred blocks in which templates check it
 */
export function stageForTemplate(transaction: ParsedTransaction, context: TransactionContext): StagedTransaction {
  const checksTxPow = context.network.rulesAt(context.height).templateChecksTxPow;
  const staged = stage(transaction, context, checksTxPow ? [...TEMPLATE_STEPS, checkProofOfWork] : TEMPLATE_STEPS);
  return { ...staged, proofs: staged.proofs.filter((proof) => proof.kind === 'txPow') };
}

function stage(
  parsed: ParsedTransaction,
  context: TransactionContext,
  steps: readonly TransactionStep[],
): StagedTransaction {
  const proofs: Proof[] = [];
  const staging: TransactionStaging = {
    parsed,
    context,
    rules: context.network.rulesAt(context.height),
    proofs,
    inputSum: 0n,
    outputSum: 0n,
    fee: 0n,
    isFusion: false,
  };
  let failure: ReasonCode | undefined;
  for (const step of steps) {
    failure = step(staging);
    if (failure !== undefined) break;
  }
  return { transaction: parsed, failure, proofs, fee: staging.fee, isFusion: staging.isFusion };
}
