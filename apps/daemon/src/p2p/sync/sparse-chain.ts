import type { ChainPort } from '../ports';

/**
 * The hashes by which a peer finds what we have in common: the tip, then the blocks 1, 2, 4, 8 ... below it, then genesis
 * (spec 08, NOTIFY_REQUEST_CHAIN). `ahead` are later blocks that the peer itself announced; they come first.
 */
export function sparseChain(chain: Pick<ChainPort, 'tip' | 'hashAt'>, ahead: readonly Buffer[] = []): Buffer[] {
  const tip = chain.tip();
  const hashes = [...ahead, tip.hash];
  for (let distance = 1; distance < tip.height; distance *= 2) {
    const hash = chain.hashAt(tip.height - distance);
    if (hash !== undefined) hashes.push(hash);
  }
  const genesis = tip.height > 0 ? chain.hashAt(0) : undefined;
  if (genesis !== undefined) hashes.push(genesis);
  return hashes;
}
