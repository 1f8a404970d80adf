import { closeReasons, type CloseReason } from '../connection/close-reasons';
import { MAX_CHAIN_HASHES } from '../constants';
import type { ResponseChain } from '../commands/messages';
import { hashKey } from '../hash-key';
import type { ChainPort } from '../ports';

/** What a chain entry means to us. `anchor` is the known block before the first of the unknown `hashes`. */
export type ChainEntryVerdict =
  | { readonly kind: 'bad'; readonly reason: CloseReason }
  | { readonly kind: 'known' }
  | { readonly kind: 'new'; readonly anchor: Buffer; readonly anchorHeight: number; readonly hashes: readonly Buffer[] };

/**
 * Judges NOTIFY_RESPONSE_CHAIN_ENTRY: it must be non-empty, start at a block that we know or have planned, agree with
 * our height of it, and fit its own totals. Everything after the first unknown hash counts as unknown.
 */
export function judgeChainEntry(
  entry: ResponseChain,
  chain: Pick<ChainPort, 'isKnown' | 'heightOf'>,
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
  if (planned === undefined && !chain.isKnown(first)) return { kind: 'bad', reason: closeReasons.chainUnknownStart };
  const height = planned ?? chain.heightOf(first);
  if (height !== undefined && height !== startHeight) return { kind: 'bad', reason: closeReasons.chainHeights };

  // A planned first block stays the anchor: what follows it was planned too or is new.
  let known = 1;
  if (planned === undefined) while (known < hashes.length && isKnownAt(hashes, known, chain)) known += 1;
  const anchor = hashes[known - 1];
  if (known === hashes.length || anchor === undefined) return { kind: 'known' };
  return { kind: 'new', anchor, anchorHeight: startHeight + known - 1, hashes: hashes.slice(known) };
}

function isKnownAt(hashes: readonly Buffer[], index: number, chain: Pick<ChainPort, 'isKnown'>): boolean {
  const hash = hashes[index];
  return hash !== undefined && chain.isKnown(hash);
}
