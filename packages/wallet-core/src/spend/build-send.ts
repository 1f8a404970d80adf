import { checkRequest, type CheckedSend } from './check-request';
import { type BuiltSend, finish } from './finish';
import { planSend } from './plan';
import type { SpendPorts } from './ports';
import type { SendRequest, SpendView } from './request';
import { withOtherInputs } from './ring-fallback';
import type { Plan } from './settle';

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
