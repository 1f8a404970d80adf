import type { ResponseChain } from '@wrkz/levin';
import { MAX_CHAIN_HASHES } from '../constants';
import { hashKey } from '../hashes';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { ChainPort } from '../ports';
import type { SyncPeer } from './sync-peer';

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

/** Asks a peer for its chain: from the last hash on that it sent, where that is planned, else from our tip. */
export function requestChainOf(peer: SyncPeer, chain: ChainPort, now: number): void {
  peer.chainRequestedAt = now;
  const { tail } = peer;
  // On a side branch of ours that is not the heavier one yet, our tip would lead back to the fork.
  const aside = tail !== undefined && chain.isKnown(tail) && chain.heightOf(tail) === undefined;
  const ahead = tail !== undefined && (aside || isPlanned(peer)) ? [tail] : [];
  peer.session.requestChain(sparseChain(chain, ahead));
}

/** Whether the last hash that it sent is still in its branch's plan. */
export function isPlanned({ tail, branch }: SyncPeer): boolean {
  return tail !== undefined && branch?.plan.heightOf(tail) !== undefined;
}

/** Takes what a chain entry says of the peer's chain. */
export function noteEntry(peer: SyncPeer, { hashes, startHeight, totalHeight }: ResponseChain): void {
  peer.session.remoteHeight = totalHeight;
  peer.lastResponseHeight = startHeight + hashes.length - 1;
  peer.tail = hashes.at(-1);
  if (peer.tail !== undefined && peer.hasSentAllHashes) peer.session.claim = { height: totalHeight, tip: peer.tail };
}
