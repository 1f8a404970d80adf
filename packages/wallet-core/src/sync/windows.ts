/** Requests that are under way at once. */
export const WINDOWS_AT_ONCE = 4;
/** Four times the depth below which no node takes another branch: nobody would notice a fork among windows. */
const REORGANISATION_MARGIN = 720;
/** What a node walks in one answer when it may leave blocks out. */
const SPARSE_FACTOR = 20;
const WIDEST = 50_000;

export interface HeightWindow {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The windows that may be fetched side by side, ascending; none near the tip (docs/protocol/wallet-sync.md#windows).
 * @param isSparse the node leaves empty blocks out, so that an answer reaches further than its number of blocks
 */
export function heightWindows(next: number, localHeight: number, batch: number, isSparse: boolean): HeightWindow[] {
  const width = isSparse ? Math.min(SPARSE_FACTOR * batch, WIDEST) : batch;
  if (localHeight - next < WINDOWS_AT_ONCE * width + REORGANISATION_MARGIN) return [];
  return Array.from({ length: WINDOWS_AT_ONCE }, (_, i) => ({
    start: next + i * width,
    end: next + (i + 1) * width,
  }));
}
