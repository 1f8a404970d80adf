/** The pool's own policy (protocol 7). Nothing here is consensus. */

/** Serialized bytes that the pool may hold, and what it is brought down to when it holds more. */
export const POOL_BYTES = 64 * 1024 * 1024;
export const POOL_BYTES_AFTER_EVICTION = Math.floor(POOL_BYTES * 0.9);
/** Transactions without a fee that the pool holds at most. */
export const FEELESS_TRANSACTIONS = 60;
/** Seconds that a transaction may wait. */
export const LIFETIME = 24 * 60 * 60;
/** Transactions that are judged at a time; the others wait in a queue. */
export const JUDGED_AT_ONCE = 16;
/** Transactions that may wait in that queue; more are refused, so that a flood costs no memory. */
export const WAITING_LIMIT = 4096;
/** Serialized bytes of what is being judged and what waits; decoded, they take several times as much memory. */
export const WAITING_BYTES = 32 * 1024 * 1024;
