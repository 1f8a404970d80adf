import type { QueryTools } from './query';

/** Hashes from one look for the caller to the next. */
export const CHECKPOINT_STRIDE = 256;

export const SECONDS_A_DAY = 86_400;

/** Where a sync request starts and how much it wants; heights are indexes. */
export interface SyncRange {
  /** Hashes that the caller holds, newest first. */
  readonly checkpoints: readonly Buffer[];
  readonly startHeight: number;
  /** Unix seconds; 0 = none. Counts only when `startHeight` is 0. */
  readonly startTimestamp: number;
  readonly blockCount: number;
}

/**
 * The index of the first block to send: the block after the newest known checkpoint (the genesis block itself when
 * only that is known), else `startHeight`, else the first block of the UTC day of `startTimestamp`.
 * A start beyond the tip answers the tip's index + 1, from where nothing is left to send.
 */
export function resolveStart(
  { reader, throwIfGone }: Pick<QueryTools, 'reader' | 'throwIfGone'>,
  range: SyncRange,
): number {
  const beyond = reader.tip().height + 1;
  for (const [i, hash] of range.checkpoints.entries()) {
    if (i % CHECKPOINT_STRIDE === 0) throwIfGone();
    const height = reader.heightOf(hash);
    if (height !== undefined) return height === 0 ? 0 : height + 1;
  }
  if (range.startHeight > 0) return Math.min(range.startHeight, beyond);
  if (range.startTimestamp > 0) {
    const midnight = range.startTimestamp - (range.startTimestamp % SECONDS_A_DAY);
    return reader.firstHeightFrom(midnight) ?? beyond;
  }
  return 0;
}
