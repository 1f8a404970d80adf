import { isWalletError, walletError } from '../errors';
import type { CheckedSend } from './check-request';
import type { SendNode } from './model';
import { TooFewDecoys } from './rings';

/** So many times other inputs are looked for: whatever a node answers, a send comes to an end. */
const MOST_CHOICES = 20;

/** The balance, the numbered outputs, the room or the pieces do not allow it: other inputs cannot pay instead. */
const NO_OTHERS = [
  'notEnoughBalance',
  'failedToCreateRingSignature',
  'daemonError',
  'tooManyInputsToFitInBlock',
  'refusedTransactionUnresolved',
] as const;

/**
 * Tries with the ring size asked for, then with what the node had decoys for, then with the least of the network
 * (docs/protocol/wallet.md#ring-size-fallback).
 * @throws TooFewDecoys when even that is too many
 */
export async function withSmallerRings<T>(
  { mixin: asked, terms, ringFallback }: Pick<CheckedSend, 'mixin' | 'terms' | 'ringFallback'>,
  attempt: (mixin: number) => Promise<T>,
): Promise<T> {
  const { min } = terms.mixin;
  for (let mixin = asked, isFirst = true; ; isFirst = false) {
    try {
      return await attempt(mixin);
    } catch (error) {
      if (!(error instanceof TooFewDecoys) || mixin <= min || !ringFallback) throw error;
      mixin = isFirst ? Math.max(min, Math.min(error.achievable, mixin - 1)) : min;
    }
  }
}

/**
 * The same; where an amount has too few others even for the least ring, once more without its outputs
 * (docs/protocol/wallet.md#ring-size-fallback).
 * @param attempt takes no input of the amounts that are left out
 * @throws WalletError 28 when no other inputs do
 */
export async function withOtherInputs<T>(
  frame: Pick<CheckedSend, 'mixin' | 'terms' | 'ringFallback'>,
  node: SendNode,
  attempt: (mixin: number, leftOut: ReadonlySet<bigint>) => Promise<T>,
): Promise<T> {
  const leftOut = new Set<bigint>();
  let shortage: TooFewDecoys | undefined;
  for (let choice = 1; ; choice++) {
    try {
      return await withSmallerRings(frame, (mixin) => attempt(mixin, leftOut));
    } catch (error) {
      if (!(error instanceof TooFewDecoys)) {
        if (shortage !== undefined && isWalletError(error, ...NO_OTHERS)) throw shortage.failure;
        throw error;
      }
      shortage ??= error;
      const rare = await rareAmounts(error, frame.terms.mixin.min, node);
      if (rare.length === 0 || choice === MOST_CHOICES) throw shortage.failure;
      for (const amount of rare) leftOut.add(amount);
    }
  }
}

/**
 * The amounts of which a node has too few others. Nodes that refuse without a word about the amount are asked again with
 * halves of what they refused, at most twice as many questions as there are amounts.
 * @returns none when nothing tells which they are
 * @throws WalletError 30
 */
export async function rareAmounts(shortage: TooFewDecoys, mixin: number, node: SendNode): Promise<readonly bigint[]> {
  if (shortage.rare !== undefined) return shortage.rare;
  return refusedOf([...new Set(shortage.asked)], mixin + 1, node);
}

/** @param amounts that were refused together */
async function refusedOf(amounts: readonly bigint[], count: number, node: SendNode): Promise<bigint[]> {
  if (amounts.length <= 1) return [...amounts];
  const middle = Math.ceil(amounts.length / 2);
  const rare: bigint[] = [];
  for (const half of [amounts.slice(0, middle), amounts.slice(middle)]) {
    const answer = await node.randomOuts(half, count);
    if (answer.kind === 'unavailable') throw walletError.daemonOffline();
    if (answer.kind === 'tooFew') rare.push(...(await refusedOf(half, count, node)));
  }
  return rare;
}
