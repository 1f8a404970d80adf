import { type Plan, settle, TooLarge, withChange } from './assemble';
import { type CheckedSend, checkRequest } from './check-request';
import { estimateSize, inputsThatFit, inRounds, largestFirst, type OwnedInput, unlocked } from './coin-selection';
import { failures } from './failures';
import type { SendRequest, SpendPorts, SpendView } from './model';
import { piecesOf } from './outputs';
import { withOtherInputs } from './ring-fallback';
import { type BuiltSend, finish } from './sign';
import { gatherBreathing } from './yielding';

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
export async function buildSend(request: SendRequest, view: SpendView, ports: SpendPorts): Promise<BuiltSend> {
  return finish(await planWithFallback(await checkRequest(request, view, ports.now()), ports), ports);
}

/** The same without work, signatures and sending. @throws WalletError */
export async function estimateSend(request: SendRequest, view: SpendView, ports: SpendPorts): Promise<SendEstimate> {
  return describePlan(await planWithFallback(await checkRequest(request, view, ports.now()), ports));
}

export function describePlan({ fee, size, mixin, frame, rings, pieces }: Plan): SendEstimate {
  const { default: defaultMixin } = frame.terms.mixin;
  return { fee, size, mixin, defaultMixin, inputs: rings.length, outputs: pieces.length };
}

export function planWithFallback(checked: CheckedSend, ports: SpendPorts): Promise<Plan> {
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
  ports: SpendPorts,
  leftOut: ReadonlySet<bigint>,
): Promise<Plan> {
  const all = await gatherBreathing(inputsOf(checked, ports.now()));
  const candidates = all.filter(({ output }) => !leftOut.has(output.amount));
  const numbered = candidates.filter(({ output }) => output.globalIndex !== undefined);
  const most = inputsThatFit(checked.terms.largestSize, 1, mixin);
  try {
    const plan =
      (await cover(checked, mixin, inRounds(numbered), most, ports).catch(nothingWhenTooLarge)) ??
      (await cover(checked, mixin, largestFirst(numbered), most, ports));
    if (plan !== undefined) return plan;
  } catch (error) {
    if (error instanceof TooLarge) throw failures.transactionTooLarge(error.size, error.largest);
    throw error;
  }
  throw candidates.length > numbered.length ? failures.missingGlobalIndex() : failures.notEnoughBalance();
}

/** The node judges a lock by its own top; a wallet shows balances by the network's. Both must have opened it. */
export function inputsOf(
  { sources, terms }: Pick<CheckedSend, 'sources' | 'terms'>,
  now: number,
): Generator<OwnedInput> {
  return unlocked(sources, Math.min(terms.localHeight, terms.networkHeight), now);
}

/** @returns undefined when the inputs do not cover it. @throws TooLarge when they do with more than `most` */
async function cover(
  checked: CheckedSend,
  mixin: number,
  inputs: Iterable<OwnedInput>,
  most: number,
  ports: SpendPorts,
): Promise<Plan | undefined> {
  const { total, fees, payments } = checked;
  const taken: OwnedInput[] = [];
  let sum = 0n;
  for (const input of inputs) {
    taken.push(input);
    sum += input.output.amount;
    if (sum < total + (fees.fixed ?? 0n)) continue;
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
