/** How a peer has done when blocks were fetched from it. */
export interface SyncStanding {
  /** It claims blocks and did not bring them when it was asked: its word counts for nothing until it has brought some. */
  unserved: boolean;
  /** It has brought blocks. */
  served: boolean;
  /** Its last answer was a slow one. */
  slow: boolean;
  /** Synchronisations in a row that ended without the tip that it had told of, and without a block. */
  fruitless: number;
  /** When it was last given a place, on the clock of intervals; 0 for never. */
  triedAt: number;
}

export function newStanding(): SyncStanding {
  return { unserved: false, served: false, slow: false, fruitless: 0, triedAt: 0 };
}

/**
 * Who goes first when places are few, lowest first: whoever brings what it claims, then the quick, then peers that we chose
 * ourselves. `overdue`: it has a place and owes us blocks for too long.
 */
export function rankOf(peer: { readonly incoming: boolean; readonly standing: SyncStanding }, overdue = false): number {
  const { unserved, slow } = peer.standing;
  return (overdue ? 8 : 0) + (unserved ? 4 : 0) + (slow ? 2 : 0) + (peer.incoming ? 1 : 0);
}
