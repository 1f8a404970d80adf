/** Limits of side branches (docs/protocol/blocks.md#reorganisation) and of queued work. */

/** Stored side branches, counted by their tips. */
export const ALTERNATIVE_LEAVES = 50;
/** Stored blocks of a side branch that is neither the heaviest nor the last that grew. */
export const ALTERNATIVE_LENGTH = 100;

/** Blocks in a batch: with empty blocks most of the time goes to the disk. */
export const BATCH_BLOCKS = 400;
/** Serialized bytes that close a batch: a batch of full blocks must not take seconds. */
export const BATCH_BYTES = 256 * 1024;
/**
 * Weight (see `weightOf`) of verified blocks at which they are committed although more follow: below a second of work. 8 MiB are
 * 3 % faster, but their objects take 100 MiB more.
 */
export const HOLD_WEIGHT = 4 * 1024 * 1024;
/** Milliseconds that a verified block waits for the following blocks: a kill loses at most the blocks of this time. */
export const HOLD_TIME = 3000;
/** Minimum weight of a block: in memory small blocks take more than their bytes. */
const MIN_WEIGHT = 2048;
/**
 * Weight that a caller with many blocks may have in flight. It exceeds the weight of one commit: otherwise the caller would wait
 * for results that wait for its next blocks.
 */
export const WEIGHT_UNDER_WAY = HOLD_WEIGHT + 8 * 1024 * 1024;
/** Blocks in one call. */
export const CALL_BLOCKS = 10_000;
/** Serialized bytes in the queue; a caller beyond it waits. */
export const QUEUE_BYTES = 24 * 1024 * 1024;

/** The weight of a block in flight. @param bytes serialized, its transactions included */
export function weightOf(bytes: number): number {
  return Math.max(bytes, MIN_WEIGHT);
}
