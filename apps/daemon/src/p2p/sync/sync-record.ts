/** The record of a peer as a source of blocks. */
export interface SyncRecord {
  /** The peer did not deliver blocks that it claims: its claims are ignored until it delivers some. */
  unserved: boolean;
  /** The peer has delivered blocks. */
  served: boolean;
  /** The last response of the peer was slow. */
  slow: boolean;
  /** Synchronisations in a row that ended without the claimed tip and without a block. */
  fruitless: number;
  /** When the peer last got a slot, monotonic milliseconds; 0 for never. */
  triedAt: number;
}

export function newSyncRecord(): SyncRecord {
  return { unserved: false, served: false, slow: false, fruitless: 0, triedAt: 0 };
}

/**
 * The order in which peers get sync slots, lowest first: peers that deliver what they claim, then fast ones, then outgoing
 * ones. `overdue`: it has a slot and has not delivered requested blocks for too long.
 */
export function rankOf(peer: { readonly incoming: boolean; readonly record: SyncRecord }, overdue = false): number {
  const { unserved, slow } = peer.record;
  return (overdue ? 8 : 0) + (unserved ? 4 : 0) + (slow ? 2 : 0) + (peer.incoming ? 1 : 0);
}

/** A peer's claim about its chain: the height is a count, tip index + 1. */
export interface ChainClaim {
  readonly height: number;
  readonly tip: Buffer;
}
