import { type Plan, settle, TooLarge, withChange } from './assemble';
import { type CheckedSend, checkRequest } from './check-request';
import {
  contestedInputs,
  estimateSize,
  inputsThatFit,
  smallestFirstByDigits,
  largestFirst,
  type OwnedInput,
  unlocked,
} from './coin-selection';
import type { SendContext, SendPorts, SendRequest, SignedSend } from './model';
import { piecesOf } from './outputs';
import { withOtherInputs } from './ring-fallback';
import { finish } from './sign';
import { collectYielding } from './yielding';
import { missingGlobalIndex, walletError } from '../errors';

/** What a send would cost and look like. */
export interface SendEstimate {
  readonly fee: bigint;
  /** Serialized bytes. */
  readonly size: number;
  /** Decoys in each ring. */
  readonly mixin: number;
  readonly defaultMixin: number;
  readonly inputs: number;
  readonly outputs: number;
}

/**
 * Builds, signs and checks a transaction; nothing leaves and nothing is recorded
 * (docs/protocol/wallet.md#building-a-transaction).
 * @throws WalletError; AbortError when `ports.signal` fires
 */
export async function buildSend(request: SendRequest, view: SendContext, ports: SendPorts): Promise<SignedSend> {
  const checked = await checkRequest(request, view, ports.now());
  const plan = await planWithFallback(checked, ports);
  const signed = await finish(plan, ports);
  if (plan.mixin < checked.mixin) ports.onRingFallback?.({ requested: checked.mixin, used: plan.mixin });
  return signed;
}

/** The same without work, signatures and sending. @throws WalletError */
export async function estimateSend(request: SendRequest, view: SendContext, ports: SendPorts): Promise<SendEstimate> {
  return describePlan(await planWithFallback(await checkRequest(request, view, ports.now()), ports));
}

export function describePlan({ fee, size, mixin, frame, rings, pieces }: Plan): SendEstimate {
  const { default: defaultMixin } = frame.terms.mixin;
  return { fee, size, mixin, defaultMixin, inputs: rings.length, outputs: pieces.length };
}

export function planWithFallback(checked: CheckedSend, ports: SendPorts): Promise<Plan> {
  return withOtherInputs(checked, ports.node, (mixin, leftOut) => planSend(checked, mixin, ports, leftOut));
}

/**
 * Takes inputs until they cover amount and fee, and lays the transaction out. Where the usual order takes more inputs than
 * a transaction has room for, the largest ones are taken.
 * @param leftOut amounts of which no input is taken
 * @throws TooFewDecoys; WalletError 31 (index), 30, 56, 20, 17 (fixed fee), 11, 32
 */
export async function planSend(
  checked: CheckedSend,
  mixin: number,
  ports: SendPorts,
  leftOut: ReadonlySet<bigint>,
): Promise<Plan> {
  const all = await collectYielding(inputsOf(checked, ports.now()));
  const candidates = all.filter(({ output }) => !leftOut.has(output.amount));
  const numbered = candidates.filter(({ output }) => output.globalIndex !== undefined);
  const required = contestedInputs(checked.view.contested, checked.sources, numbered);
  const optional = required.length === 0 ? numbered : numbered.filter((input) => !required.includes(input));
  const most = inputsThatFit(checked.terms.largestSize, 1, mixin);
  try {
    const plan =
      (await cover(checked, mixin, { required, more: smallestFirstByDigits(optional), most }, ports).catch(
        nothingWhenTooLarge,
      )) ?? (await cover(checked, mixin, { required, more: largestFirst(optional), most }, ports));
    if (plan !== undefined) return plan;
  } catch (error) {
    if (error instanceof TooLarge) throw walletError.tooManyInputsToFitInBlock(error.size, error.largest);
    throw error;
  }
  throw candidates.length > numbered.length ? missingGlobalIndex() : walletError.notEnoughBalance();
}

/** The node judges a lock by its own top; a wallet shows balances by the network's. Both must have opened it. */
export function inputsOf(
  { sources, terms }: Pick<CheckedSend, 'sources' | 'terms'>,
  now: number,
): Generator<OwnedInput> {
  return unlocked(sources, Math.min(terms.localHeight, terms.networkHeight), now);
}

interface InputChoice {
  /** All of these are spent. */
  readonly required: readonly OwnedInput[];
  /** In the order in which they are added. */
  readonly more: Iterable<OwnedInput>;
  /** Inputs that a transaction has room for. */
  readonly most: number;
}

function* inputsInOrder({ required, more }: InputChoice): Generator<OwnedInput> {
  yield* required;
  yield* more;
}

/** @returns undefined when the inputs do not cover it. @throws TooLarge when they do with more than `most` */
async function cover(
  checked: CheckedSend,
  mixin: number,
  choice: InputChoice,
  ports: SendPorts,
): Promise<Plan | undefined> {
  const { required, most } = choice;
  const { total, fees, payments } = checked;
  const taken: OwnedInput[] = [];
  let sum = 0n;
  for (const input of inputsInOrder(choice)) {
    taken.push(input);
    sum += input.output.amount;
    if (taken.length < required.length || sum < total + (fees.fixed ?? 0n)) continue;
    const size = estimate(checked, mixin, taken.length, sum - total);
    const fee = fees.of(size);
    if (sum < total + fee) continue;
    if (taken.length > most) throw new TooLarge(size, checked.terms.largestSize);
    const covered = sum;
    const spend = (fee: bigint) => (covered < total + fee ? undefined : { payments, change: covered - total - fee });
    const plan = await settle({ frame: checked, mixin, inputs: taken, fee, spend }, ports);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

/** Of a transaction whose change is about so much. @throws WalletError 56 for an amount beyond all coins */
function estimate(checked: CheckedSend, mixin: number, inputs: number, change: bigint): number {
  const parts = withChange(checked.payments, change, checked.change.address);
  const outputs = parts.reduce((sum, { amount }) => sum + piecesOf(amount).length, 0);
  return estimateSize({
    inputs,
    outputs,
    mixin,
    hasPaymentId: checked.paymentId !== '',
    data: checked.data.length + checked.fields.length,
  });
}

function nothingWhenTooLarge(error: unknown): undefined {
  if (!(error instanceof TooLarge)) throw error;
}
