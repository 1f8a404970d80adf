import type { ChainView } from './view';

/**
 * The median of a list: 0 for an empty list; for an even number of values the integer mean of the two in the middle, for
 * sizes and timestamps alike (docs/protocol/blocks.md#median-timestamp).
 */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  if (sorted.length % 2 === 1) return upper;
  return Math.floor(((sorted[half - 1] ?? 0) + upper) / 2);
}

/**
 * The min timestamp of the block after `parentHeight`: the median of the window, genesis included. Undefined while
 * the chain is too short for a full window, when any timestamp is valid (docs/protocol/blocks.md#median-timestamp).
 */
export function minTimestamp(view: ChainView, parentHeight: number, window: number): number | undefined {
  if (parentHeight + 1 < window) return undefined;
  return median(view.window(parentHeight, window).map((block) => block.timestamp));
}
