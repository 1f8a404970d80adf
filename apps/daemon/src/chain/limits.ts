/** What is kept of the branches that are not the main chain (protocol 5), and how much work waits at a time. */

/** A branch that leaves the main chain further below its tip can never win. Blocks. */
export const REORGANISATION_DEPTH = 180;
/** Side branches kept, counted by their tips. */
export const ALTERNATIVE_LEAVES = 50;
/** Blocks kept of a side branch that is neither the heaviest nor just growing. */
export const ALTERNATIVE_LENGTH = 100;

/** Blocks that are judged together and committed in one transaction: with empty ones most of the time goes to the disk. */
export const BATCH_BLOCKS = 400;
/** Serialized bytes after which a batch is closed, whatever its count: a batch of full blocks must not take seconds. */
export const BATCH_BYTES = 256 * 1024;
/** Blocks that one call may bring. */
export const CALL_BLOCKS = 10_000;
/** Serialized bytes that may wait in the queue; a caller over it waits for space. */
export const QUEUE_BYTES = 64 * 1024 * 1024;
