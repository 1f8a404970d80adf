/**
 * The middle of a list as the chain counts it: 0 of nothing, and of an even number of values the whole-number mean of
 * the two in the middle, for sizes and timestamps alike (docs/protocol/blocks.md#median-timestamp).
 */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  if (sorted.length % 2 === 1) return upper;
  return Math.floor(((sorted[half - 1] ?? 0) + upper) / 2);
}
