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
 * A start beyond the tip answers the tip's index + 1, from where nothing is left to send. What lies below `floor` is not
 * kept: a start there is raised to it, and then the time does not count.
 */
export function resolveStart(
  { reader, throwIfGone }: Pick<QueryTools, 'reader' | 'throwIfGone'>,
  range: SyncRange,
  floor: number,
): number {
  const beyond = reader.tip().height + 1;
  for (const [i, hash] of range.checkpoints.entries()) {
    if (i % CHECKPOINT_STRIDE === 0) throwIfGone();
    const height = reader.heightOf(hash);
    if (height !== undefined) return Math.max(Math.min(floor, beyond), afterKnown(height));
  }
  if (range.startHeight < floor) return Math.min(floor, beyond);
  if (range.startHeight > 0) return Math.min(range.startHeight, beyond);
  if (range.startTimestamp > 0) {
    const midnight = range.startTimestamp - (range.startTimestamp % SECONDS_A_DAY);
    return reader.firstHeightFrom(midnight) ?? beyond;
  }
  return 0;
}

/** Where an answer starts to one who knows the block at `height`: genesis alone is known to everybody. */
export function afterKnown(height: number): number {
  return height === 0 ? 0 : height + 1;
}
