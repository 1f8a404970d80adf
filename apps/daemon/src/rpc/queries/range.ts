import type { QueryTools } from './query';

/** Hashes between two checks whether the client is gone. */
const HASHES_PER_CHECK = 256;

export const HASH_BYTES = 32;

/** Hashes in one buffer, which a message to a reader thread copies a hundred times as fast as thousands of buffers. */
export function joinHashes(hexes: readonly string[]): Buffer {
  return Buffer.from(hexes.join(''), 'hex');
}

/** The height of the first of these hashes that is on the main chain. */
export function firstKnownHash(
  { reader, throwIfGone }: Pick<QueryTools, 'reader' | 'throwIfGone'>,
  hashes: Buffer,
): number | undefined {
  for (let at = 0; at < hashes.length; at += HASH_BYTES) {
    if (at % (HASHES_PER_CHECK * HASH_BYTES) === 0) throwIfGone();
    const height = reader.heightOf(hashes.subarray(at, at + HASH_BYTES));
    if (height !== undefined) return height;
  }
  return undefined;
}

export const SECONDS_A_DAY = 86_400;

/** Where a sync request starts and how much it wants; heights are indexes. */
export interface SyncRange {
  /** Block hashes that the client has, newest first, joined. */
  readonly checkpoints: Buffer;
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
  tools: Pick<QueryTools, 'reader' | 'throwIfGone'>,
  range: SyncRange,
  floor: number,
): number {
  const { reader } = tools;
  const beyond = reader.tip().height + 1;
  const known = firstKnownHash(tools, range.checkpoints);
  if (known !== undefined) return Math.max(Math.min(floor, beyond), afterKnown(known));
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
