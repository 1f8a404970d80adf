import type { ChainPort } from '../ports';
import type { ChainClaim, SyncRecord } from './sync-record';

/** The chain height of one handshaken peer, if it counts. */
export interface HeightClaim {
  /** Tip index + 1. */
  readonly height: number;
  readonly incoming: boolean;
  /** The height up to which it has shown blocks, or is showing them now; 0 for mere words. */
  readonly shown: number;
}

/** Number of outgoing peers from which on incoming peers, which chose this node, do not count. */
const ENOUGH_OUTGOING = 3;

/** The peers whose claims count: only outgoing ones, once there are three. */
export function countingPeers<Peer extends { readonly incoming: boolean }>(peers: readonly Peer[]): readonly Peer[] {
  const outgoing = peers.filter((peer) => !peer.incoming);
  return outgoing.length >= ENOUGH_OUTGOING ? outgoing : peers;
}

/**
 * The height of the network by the claims of several peers (a count: tip index + 1), 0 without peers. The highest third of the
 * claims is ignored, and of two claims the higher, so that a minority of dishonest peers cannot raise it. It is never below
 * the height up to which a peer delivers blocks.
 */
export function networkHeight(claims: readonly HeightClaim[]): number {
  const counted = countingPeers(claims);
  const heights = counted.map((claim) => claim.height).sort((a, b) => b - a);
  const leftOut = heights.length === 2 ? 1 : Math.floor(heights.length / 3);
  return Math.max(heights[leftOut] ?? 0, ...counted.map((claim) => claim.shown));
}

/** A peer as its claim is judged. */
export interface Claimant {
  readonly incoming: boolean;
  readonly demoted: boolean;
  readonly record: SyncRecord;
  readonly claim: ChainClaim | undefined;
}

/**
 * The claims that count. A known tip determines the height of its chain; the claim of an unknown tip counts until its
 * blocks were requested and did not come. Demoted peers do not count. `named` returns up to which height a peer that delivers
 * blocks has named them.
 */
export function heightClaims<Peer extends Claimant>(
  peers: readonly Peer[],
  chain: Pick<ChainPort, 'tip' | 'isKnown' | 'heightOf'>,
  named: (peer: Peer) => number,
): HeightClaim[] {
  const own = chain.tip().height + 1;
  return peers.flatMap((peer) => {
    const { claim, incoming } = peer;
    if (claim === undefined || peer.demoted) return [];
    const at = chain.heightOf(claim.tip);
    if (at !== undefined || chain.isKnown(claim.tip)) {
      // A side branch of ours is not the heavier one, however long it is.
      const height = at === undefined ? Math.min(claim.height, own) : at + 1;
      return [{ height, incoming, shown: height }];
    }
    return peer.record.unserved ? [] : [{ height: claim.height, incoming, shown: named(peer) }];
  });
}
