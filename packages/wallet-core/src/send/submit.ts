import type { SendNode, SignedSend, SubmitResult } from '../transaction/model';

/**
 * Outcome of a submission. `unsent`: it certainly reached no node. `refused`: the node completed the request, did not accept
 * the transaction and does not report it when queried by hash; it may nevertheless have the bytes. `uncertain`: all other
 * cases.
 */
export type SubmitOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'unsent' }
  | { readonly kind: 'refused'; readonly reason: string | undefined; readonly hasVerdict: boolean }
  | { readonly kind: 'uncertain' };

/** Submits a recorded transaction (docs/protocol/wallet.md#submitting). The same bytes may be submitted again. */
export async function submitSend({ bytes, hash }: SignedSend, node: SendNode): Promise<SubmitOutcome> {
  const result = await node.submit(bytes).catch((): SubmitResult => ({ kind: 'uncertain', ended: false }));
  if (result.kind === 'accepted') return { kind: 'accepted' };
  if (result.kind === 'unavailable') return { kind: 'unsent' };
  // Also after a refusal: the node may already have the transaction from an earlier submission whose response was lost.
  const status = await node.transactionStatus(hash).catch(() => 'unavailable' as const);
  if (status === 'block' || status === 'pool') return { kind: 'accepted' };
  const hasEnded = result.kind === 'refused' || result.ended;
  if (status === 'unavailable' || !hasEnded) return { kind: 'uncertain' };
  if (result.kind === 'refused') return { kind: 'refused', reason: result.reason, hasVerdict: true };
  return { kind: 'refused', reason: undefined, hasVerdict: false };
}
