import type { ResponseChain } from '@wrkz/levin';
import { MAX_CHAIN_HASHES } from '../constants';
import { hashKey } from '../hashes';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { ChainPort } from '../ports';

/**
 * The hashes by which a peer finds what we have in common: the tip, then the blocks 1, 2, 4, 8 ... below it, then genesis
 * (docs/protocol/p2p.md#sparse-chain). `ahead` are later blocks that the peer itself announced; they come first.
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

const NOTHING = Buffer.alloc(0);

/** A checked chain entry: `anchor` is the known or planned block before the unknown `hashes`, which may be none. */
export interface ChainSection {
  readonly anchor: Buffer;
  readonly hashes: readonly Buffer[];
}

/**
 * Checks NOTIFY_RESPONSE_CHAIN_ENTRY: it must be non-empty, start at a block that we know or that the peer announced before,
 * agree with the height of that block, and fit its own totals. Everything after the first unknown hash counts as unknown.
 * @param announcedHeight the height of a hash that the peer announced before and that is still planned
 */
export function checkChainEntry(
  entry: ResponseChain,
  chain: Pick<ChainPort, 'isKnown' | 'heightOf' | 'hashes'>,
  announcedHeight: (hash: Buffer) => number | undefined,
): ChainSection | CloseReason {
  const { hashes, startHeight, totalHeight } = entry;
  const [first] = hashes;
  if (first === undefined) return closeReasons.chainEmpty;
  if (hashes.length > MAX_CHAIN_HASHES || startHeight + hashes.length > totalHeight) return closeReasons.chainHeights;
  if (new Set(hashes.map(hashKey)).size !== hashes.length) return closeReasons.chainHeights;
  const announced = announcedHeight(first);
  if (announced === undefined && !isOurs(first, startHeight, chain)) return closeReasons.chainUnknownStart;
  const height = announced ?? chain.heightOf(first);
  if (height !== undefined && height !== startHeight) return closeReasons.chainHeights;
  // An announced first block stays the anchor: the plan recognises the blocks behind it.
  const known = announced === undefined ? knownCount(hashes, startHeight, chain) : 1;
  return { anchor: hashes[known - 1] ?? first, hashes: hashes.slice(known) };
}

/** Looked up by id and by height: if our hash index lacks the block, the peer is not at fault. */
function isOurs(hash: Buffer, height: number, chain: Pick<ChainPort, 'isKnown' | 'hashes'>): boolean {
  return chain.isKnown(hash) || chain.hashes(height, 1)[0]?.equals(hash) === true;
}

/** Number of leading hashes that we have: compared with our main chain in one read, then looked up one by one. */
function knownCount(
  hashes: readonly Buffer[],
  startHeight: number,
  chain: Pick<ChainPort, 'isKnown' | 'hashes'>,
): number {
  const main = chain.hashes(startHeight, hashes.length);
  let known = 0;
  while (known < hashes.length && hashes[known]?.equals(main[known] ?? NOTHING) === true) known += 1;
  for (let hash = hashes[known]; hash !== undefined && chain.isKnown(hash); hash = hashes[known]) known += 1;
  return known;
}
