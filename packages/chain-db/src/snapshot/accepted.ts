/** A payload digest that is trusted for a height: 64 hex characters. */
export interface AcceptedDigest {
  readonly liteHeight: number;
  readonly digest: string;
}

/**
 * Snapshots that were published and checked: what they hold cannot be checked without the bodies that they leave out
 * (docs/protocol/snapshot.md#trust). All are mainnet's, whose genesis each import compares.
 */
export const BUILT_IN_DIGESTS: readonly AcceptedDigest[] = [
  { liteHeight: 4_000_000, digest: '4601d802d990fa26b876ed7fdaffc00953cff6ca6b77299fd1c6981ef94fe09e' },
];

/** Whether a snapshot is trusted. @param others digests that an operator accepts, whatever their height */
export function isAcceptedSnapshot(
  { liteHeight, digest }: { readonly liteHeight: number; readonly digest: Buffer },
  others: readonly string[] = [],
): boolean {
  const hex = digest.toString('hex');
  return (
    others.some((other) => other.toLowerCase() === hex) ||
    BUILT_IN_DIGESTS.some((known) => known.liteHeight === liteHeight && known.digest === hex)
  );
}
