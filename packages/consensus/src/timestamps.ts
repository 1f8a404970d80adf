import { median } from './median';
import type { ChainView } from './view';

/**
 * The min timestamp of the block after `parentHeight`: the median of the window, genesis included. Undefined while
 * the chain is too short for a full window, when any timestamp is valid (docs/protocol/blocks.md#median-timestamp).
 */
export function minTimestamp(view: ChainView, parentHeight: number, window: number): number | undefined {
  if (parentHeight + 1 < window) return undefined;
  return median(view.window(parentHeight, window).map((block) => block.timestamp));
}
