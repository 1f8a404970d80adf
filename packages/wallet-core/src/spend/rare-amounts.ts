import type { TooFewDecoys } from './decoys';
import { failures } from './failures';
import type { SpendNode } from './ports';

/**
 * The amounts of which a node has too few others. Nodes that refuse without a word about the amount are asked again with
 * halves of what they refused, at most twice as many questions as there are amounts.
 * @returns none when nothing tells which they are
 * @throws WalletError 30
 */
export async function rareAmounts(shortage: TooFewDecoys, mixin: number, node: SpendNode): Promise<readonly bigint[]> {
  if (shortage.rare !== undefined) return shortage.rare;
  return refusedOf([...new Set(shortage.asked)], mixin + 1, node);
}

/** @param amounts that were refused together */
async function refusedOf(amounts: readonly bigint[], count: number, node: SpendNode): Promise<bigint[]> {
  if (amounts.length <= 1) return [...amounts];
  const middle = Math.ceil(amounts.length / 2);
  const rare: bigint[] = [];
  for (const half of [amounts.slice(0, middle), amounts.slice(middle)]) {
    const answer = await node.randomOuts(half, count);
    if (answer.kind === 'unavailable') throw failures.nodeOffline();
    if (answer.kind === 'tooFew') rare.push(...(await refusedOf(half, count, node)));
  }
  return rare;
}
