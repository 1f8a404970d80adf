/*
 * What a stratum connection may use (docs/protocol/stratum.md#limits). Times in milliseconds.
 */

/** Bytes of a line, its end left out. */
export const MAX_LINE_BYTES = 8192;
/** Messages that wait for a client to read them. */
export const MAX_UNSENT = 64;
/** Answers that wait before the next request is read. */
export const UNSENT_BEFORE_READING = 16;
/** How long a write may be blocked. */
export const WRITE_LIMIT = 30_000;
/** How long the rest of a line may take. */
export const LINE_LIMIT = 30_000;
/** How long a connection may stay without a login. */
export const LOGIN_LIMIT = 60_000;
/** A connection without a login keeps its place for so long when others want it. */
export const LOGIN_GRACE = 2_000;
/** How long a client whose connection is ended may take to hang up. */
export const LINGER = 1_000;
/** After so long without traffic the system asks whether the other side is still there. */
export const PROBE_AFTER = 60_000;
/** Jobs of a connection that shares are taken for. */
export const KEPT_JOBS = 4;
/** Nonces remembered of one job; then it gives way to a new one. */
export const MAX_NONCES = 65_536;
/** Bytes of a job's own in the coinbase. */
export const EXTRA_NONCE_SIZE = 8;
/** Of all places, the part that one address may take (loopback is exempt). */
export const ADDRESS_PART = 3 / 4;

/** What requests cost, in points. */
export const COSTS = { line: 1, connection: 10, login: 20, refused: 4, badShare: 20 } as const;
/** Points of a connection: how many lie ready, and how many flow in each second. */
export const CONNECTION_POINTS = { burst: 1000, perSecond: 50 } as const;
/** Points of an address, over all its connections, present and past (loopback is exempt). */
export const ADDRESS_POINTS = { burst: 4000, perSecond: 200 } as const;
/** Addresses remembered besides those that are connected. */
export const KEPT_ADDRESSES = 10_000;

/** Workers whose shares are told apart; the rest counts in one row. */
export const MAX_WORKERS = 256;
