/** The pool's own policy (docs/protocol/pool.md#limits). Nothing here is consensus. */

/** Max serialized bytes in the pool. */
export const POOL_BYTES = 64 * 1024 * 1024;
/** Max transactions without a fee. */
export const FEELESS_TRANSACTIONS = 60;
/** Seconds after which a transaction is removed. */
export const LIFETIME = 24 * 60 * 60;
/** Transactions that are judged at a time; the others wait in a queue. */
export const JUDGED_AT_ONCE = 16;
/** Transactions that may wait in that queue, of all sources. */
export const WAITING_LIMIT = 4096;
/** Serialized bytes per source that are judged or wait; decoded, they take several times as much memory. */
export const WAITING_BYTES = 16 * 1024 * 1024;
/** Milliseconds of a re-check of the pool between two yields to the event loop. */
export const SLICE_MS = 5;
