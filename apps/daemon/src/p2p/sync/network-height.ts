/** What one handshaken peer says of its chain. */
export interface HeightClaim {
  /** Tip index + 1. */
  readonly height: number;
  readonly incoming: boolean;
}

/** With so many outgoing peers the others, who chose us, are not asked. */
const ENOUGH_OUTGOING = 3;

/**
 * The height of the network as several peers tell it (a count: tip index + 1), 0 without peers. The highest third of the
 * claims is left out, so that fewer than that many liars cannot raise it; peers that we chose ourselves count alone once
 * there are three.
 */
export function networkHeight(claims: readonly HeightClaim[]): number {
  const outgoing = claims.filter((claim) => !claim.incoming);
  const heights = (outgoing.length >= ENOUGH_OUTGOING ? outgoing : claims).map((claim) => claim.height);
  heights.sort((a, b) => b - a);
  return heights[Math.floor(heights.length / 3)] ?? 0;
}
