/**
 * What is kept of the branches that are not the main chain (docs/protocol/blocks.md#reorganisation), and how much work
 * waits at a time.
 */

/** Side branches kept, counted by their tips. */
export const ALTERNATIVE_LEAVES = 50;
/** Blocks kept of a side branch that is neither the heaviest nor just growing. */
export const ALTERNATIVE_LENGTH = 100;

/** Blocks that are judged together: with empty ones most of the time goes to the disk. */
export const BATCH_BLOCKS = 400;
/** Serialized bytes after which a batch is closed, whatever its count: a batch of full blocks must not take seconds. */
export const BATCH_BYTES = 256 * 1024;
/** Weight (see `weightOf`) of verified blocks at which they are committed, though more follow: below a second of work. */
export const HOLD_WEIGHT = 16 * 1024 * 1024;
/** Milliseconds that a verified block waits for those that follow: what a kill loses was fetched within them. */
export const HOLD_TIME = 3000;
/** What a block weighs at least, because in memory a small one is not that small. */
const LEAST_WEIGHT = 2048;
/**
 * Weight that whoever brings a long row of blocks may have under way: more than are committed together, or it
 * would wait for answers that wait for its next blocks.
 */
export const WEIGHT_UNDER_WAY = HOLD_WEIGHT + 8 * 1024 * 1024;
/** Blocks that one call may bring. */
export const CALL_BLOCKS = 10_000;
/** Serialized bytes that may wait in the queue; a caller over it waits for space. */
export const QUEUE_BYTES = 64 * 1024 * 1024;

/** What a block counts for while it is under way. @param bytes serialized, its transactions included */
export function weightOf(bytes: number): number {
  return Math.max(bytes, LEAST_WEIGHT);
}
