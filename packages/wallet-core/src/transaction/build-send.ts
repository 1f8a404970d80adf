import { assemble, type Plan, TooLarge, withChange } from './assemble';
import { type CheckedSend, checkRequest, type SendSettings } from './check-request';
import {
  contestedInputs,
  estimateSize,
  indexedInputs,
  inOrder,
  inputsThatFit,
  largestFirst,
  type OwnedInput,
  smallestFirstByDigits,
  unlocked,
} from './coin-selection';
import type { SendContext, SendPorts, SendRequest, SignedSend } from './model';
import { denominationsOf } from './outputs';
import { findRareAmounts, TooFewDecoys, withRingFallback } from './rings';
import { signPlan } from './sign';
import { isWalletError, missingGlobalIndex, walletError } from '../errors';
import { mapInSlices } from '@wrkz/service-kit/base';

export interface SendEstimate {
  readonly fee: bigint;
  /** Serialized size in bytes. */
  readonly size: number;
  /** Decoys per ring. */
  readonly mixin: number;
  readonly defaultMixin: number;
  readonly inputs: number;
  readonly outputs: number;
}

/**
 * Builds, signs and checks a transaction without recording or submitting it
 * (docs/protocol/wallet.md#building-a-transaction).
 * @throws WalletError; the reason of `ports.signal`
 */
export async function buildSend(request: SendRequest, context: SendContext, ports: SendPorts): Promise<SignedSend> {
  const checked = await checkRequest(request, context, ports.now());
  return signPlan(await planSend(checked, ports), ports);
}

/** Builds a transaction like `buildSend`, without proof of work and signatures. @throws WalletError */
export async function estimateSend(
  request: SendRequest,
  context: SendContext,
  ports: SendPorts,
): Promise<SendEstimate> {
  return describePlan(await planSend(await checkRequest(request, context, ports.now()), ports));
}

export function describePlan({ fee, size, mixin, settings, rings, parts }: Plan): SendEstimate {
  const { default: defaultMixin } = settings.terms.mixin;
  return { fee, size, mixin, defaultMixin, inputs: rings.length, outputs: parts.length };
}

/** Max number of coin selections, since a node could report another amount as rare after each of them. */
const MAX_SELECTIONS = 20;

/** Errors of a coin selection after which no other inputs can pay. */
const FINAL_ERRORS = [
  'notEnoughBalance',
  'failedToCreateRingSignature',
  'daemonError',
  'tooManyInputsToFitInBlock',
  'refusedTransactionUnresolved',
] as const;

/**
 * Plans a send. If an amount has too few decoys even for the minimum ring size, the coin selection is repeated without
 * outputs of this amount (docs/protocol/wallet.md#ring-size-fallback).
 * @throws WalletError notEnoughFakeOutputs when no other inputs can pay, and those of `planWithoutAmounts`
 */
async function planSend(checked: CheckedSend, ports: SendPorts): Promise<Plan> {
  const excluded = new Set<bigint>();
  let shortage: TooFewDecoys | undefined;
  for (let selection = 1; ; selection++) {
    try {
      return await withRingFallback(checked, (mixin) => planWithoutAmounts(checked, mixin, ports, excluded));
    } catch (error) {
      if (!(error instanceof TooFewDecoys)) {
        if (shortage !== undefined && isWalletError(error, ...FINAL_ERRORS)) throw shortage.failure;
        throw error;
      }
      shortage ??= error;
      const rare = await findRareAmounts(error, checked.terms.mixin.min, ports.node);
      if (rare.length === 0 || selection === MAX_SELECTIONS) throw shortage.failure;
      for (const amount of rare) excluded.add(amount);
    }
  }
}

/**
 * Selects inputs that cover amount and fee, and assembles the transaction. If the default selection needs more inputs than
 * fit into a transaction, the largest outputs are selected.
 * @param excluded amounts whose outputs are not used
 * @throws TooFewDecoys; WalletError notEnoughBalance, tooManyInputsToFitInBlock, and those of `assemble`
 */
async function planWithoutAmounts(
  checked: CheckedSend,
  mixin: number,
  ports: SendPorts,
  excluded: ReadonlySet<bigint>,
): Promise<Plan> {
  const all = await mapInSlices(spendableInputs(checked, ports.now()), (input) => input);
  const candidates = excluded.size === 0 ? all : all.filter(({ output }) => !excluded.has(output.amount));
  const indexed = await indexedInputs(candidates, ports);
  const required = contestedInputs(checked.context.contested, checked.sources, indexed);
  const optional = required.length === 0 ? indexed : indexed.filter((input) => !required.includes(input));
  const coverWith = (order: typeof largestFirst): Promise<Plan | undefined> =>
    cover(checked, mixin, inOrder([required, order(optional)]), required.length, ports);
  try {
    const plan = (await coverWith(smallestFirstByDigits).catch(undefinedIfTooLarge)) ?? (await coverWith(largestFirst));
    if (plan !== undefined) return plan;
  } catch (error) {
    if (error instanceof TooLarge) throw walletError.tooManyInputsToFitInBlock(error.size, error.maxSize);
    throw error;
  }
  throw candidates.length > indexed.length ? missingGlobalIndex() : walletError.notEnoughBalance();
}

/** Outputs that are unlocked at the node's height, which its pool uses, and at the height of the network. */
export function spendableInputs({ sources, terms }: SendSettings, now: number): Generator<OwnedInput> {
  return unlocked(sources, Math.min(terms.localHeight, terms.networkHeight), now);
}

/**
 * Spends the first inputs that together cover amount and fee.
 * @param min min number of inputs to spend
 * @returns undefined when the inputs do not suffice @throws TooLarge when the necessary inputs do not fit
 */
async function cover(
  checked: CheckedSend,
  mixin: number,
  inputs: Iterable<OwnedInput>,
  min: number,
  ports: SendPorts,
): Promise<Plan | undefined> {
  const { total, fees, payments, terms } = checked;
  const max = inputsThatFit(terms.maxSize, 1, mixin);
  const selected: OwnedInput[] = [];
  let sum = 0n;
  for (const input of inputs) {
    selected.push(input);
    sum += input.output.amount;
    const count = selected.length;
    if (count < min || sum < total + (fees.fixed ?? 0n)) continue;
    const size = estimate(checked, mixin, count, sum - total);
    const estimatedFee = fees.forSize(size);
    const rest = sum - total;
    if (rest < estimatedFee) continue;
    if (count > max) throw new TooLarge(size, terms.maxSize);
    const distribute = (fee: bigint) => (rest < fee ? undefined : { payments, change: rest - fee });
    const spent = { settings: checked, mixin, inputs: [...selected], fee: estimatedFee, distribute };
    const plan = await assemble(spent, ports);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

/** @throws WalletError outputDecomposition for an amount above the money supply */
function estimate(checked: CheckedSend, mixin: number, inputs: number, change: bigint): number {
  const parts = withChange(checked.payments, change, checked.change.address);
  const outputs = parts.reduce((sum, { amount }) => sum + denominationsOf(amount).length, 0);
  return estimateSize({
    inputs,
    outputs,
    mixin,
    hasPaymentId: checked.paymentId !== '',
    data: checked.data.length + checked.fields.length,
  });
}

function undefinedIfTooLarge(error: unknown): undefined {
  if (!(error instanceof TooLarge)) throw error;
}
