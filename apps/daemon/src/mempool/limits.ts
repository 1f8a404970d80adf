/** The pool's own policy (docs/protocol/pool.md#limits). Nothing here is consensus. */

/** Max serialized bytes in the pool. */
export const POOL_BYTES = 64 * 1024 * 1024;
/** Max serialized bytes of the transactions that templates omit: nobody mines them, so their fees cost nothing. */
export const UNMINABLE_BYTES = 1024 * 1024;
/** Seconds after which the transactions that templates omit are counted again: the clock makes more unlock times too near. */
export const OMITTED_SECONDS = 10;
/** Seconds, a block time, for which templates can include a transaction with an unlock time in unix seconds. */
export const UNLOCK_MARGIN = 60;
/** Max transactions without a fee. */
export const FEELESS_TRANSACTIONS = 60;
/** Seconds after which a transaction is removed. */
export const LIFETIME = 24 * 60 * 60;
/** Transactions that are validated concurrently; the others wait in a queue. */
export const MAX_CONCURRENT_VALIDATIONS = 16;
/** Max waiting transactions of all sources together. */
export const WAITING_LIMIT = 4096;
/** Max serialized bytes per source in validation and in the queue. Decoded transactions take several times as much memory. */
export const WAITING_BYTES = 16 * 1024 * 1024;
/** Milliseconds of a revalidation between two yields to the event loop. */
export const SLICE_MS = 5;
