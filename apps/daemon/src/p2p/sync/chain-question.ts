import type { ResponseChain } from '@wrkz/levin';
import type { ChainPort } from '../ports';
import { sparseChain } from './sparse-chain';
import type { SyncPeer } from './sync-peer';

/** Asks a peer for its chain: from the last hash on that it sent, where that is planned, else from our tip. */
export function askChain(peer: SyncPeer, chain: ChainPort, now: number): void {
  peer.chainAskedAt = now;
  const { tail } = peer;
  // On a side branch of ours that is not the heavier one yet, our tip would lead back to the fork.
  const aside = tail !== undefined && chain.isKnown(tail) && chain.heightOf(tail) === undefined;
  const ahead = tail !== undefined && (aside || isPlanned(peer)) ? [tail] : [];
  peer.session.askChain(sparseChain(chain, ahead));
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
