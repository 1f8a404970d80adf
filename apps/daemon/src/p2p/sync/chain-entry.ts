import type { ResponseChain } from '@wrkz/levin';
import { MAX_CHAIN_HASHES } from '../constants';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import type { ChainPort } from '../ports';
import { hashKey } from '../util/hash-key';

const NOTHING = Buffer.alloc(0);

/** What a chain entry means to us. `anchor` is the known block before the first of the unknown `hashes`. */
export type ChainEntryVerdict =
  | { readonly kind: 'bad'; readonly reason: CloseReason }
  | { readonly kind: 'known' }
  | {
      readonly kind: 'new';
      readonly anchor: Buffer;
      readonly anchorHeight: number;
      readonly hashes: readonly Buffer[];
    };

/**
 * Judges NOTIFY_RESPONSE_CHAIN_ENTRY: it must be non-empty, start at a block that we know or have planned, agree with
 * our height of it, and fit its own totals. Everything after the first unknown hash counts as unknown.
 */
export function judgeChainEntry(
  entry: ResponseChain,
  chain: Pick<ChainPort, 'isKnown' | 'heightOf' | 'hashes'>,
  plannedHeight: (hash: Buffer) => number | undefined,
): ChainEntryVerdict {
  const { hashes, startHeight, totalHeight } = entry;
  const [first] = hashes;
  if (first === undefined) return { kind: 'bad', reason: closeReasons.chainEmpty };
  if (hashes.length > MAX_CHAIN_HASHES || startHeight + hashes.length > totalHeight) {
    return { kind: 'bad', reason: closeReasons.chainHeights };
  }
  if (new Set(hashes.map(hashKey)).size !== hashes.length) return { kind: 'bad', reason: closeReasons.chainHeights };
  const planned = plannedHeight(first);
  if (planned === undefined && !isOurs(first, startHeight, chain))
    return { kind: 'bad', reason: closeReasons.chainUnknownStart };
  const height = planned ?? chain.heightOf(first);
  if (height !== undefined && height !== startHeight) return { kind: 'bad', reason: closeReasons.chainHeights };

  // A planned first block stays the anchor: what follows it was planned too or is new.
  const known = planned === undefined ? knownCount(hashes, startHeight, chain) : 1;
  const anchor = hashes[known - 1];
  if (known === hashes.length || anchor === undefined) return { kind: 'known' };
  return { kind: 'new', anchor, anchorHeight: startHeight + known - 1, hashes: hashes.slice(known) };
}

/** Found by its id, or by its height: an index of ours that has lost it is not the peer's fault. */
function isOurs(hash: Buffer, height: number, chain: Pick<ChainPort, 'isKnown' | 'hashes'>): boolean {
  return chain.isKnown(hash) || chain.hashes(height, 1)[0]?.equals(hash) === true;
}

/** How many of the hashes, from the first on, we have: compared with our main chain at one go, then one by one. */
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
