/** Constants of the protocol (docs/protocol/p2p.md#timeouts-and-limits). Times are milliseconds. */

export const P2P_VERSION = 19;
export const P2P_MINIMUM_VERSION = 16;
/** A peer whose version is higher by this much is logged: a newer release may be available. */
export const P2P_UPGRADE_WINDOW = 2;
/** Since this version blocks are announced without their transactions. */
export const LITE_BLOCK_VERSION = 4;
/** Since this version peer lists contain IPv6 entries. */
export const IPV6_LIST_VERSION = 19;

export const CONNECT_TIMEOUT = 5_000;
export const HANDSHAKE_TIMEOUT = 15_000;
export const BACK_PING_TIMEOUT = 10_000;
/** The connection is closed if no queued byte is sent for this long. */
export const WRITE_TIMEOUT = 120_000;
/** The connection is closed if an incomplete frame receives fewer bytes than this in the given time. */
export const FRAME_TIMEOUT = 120_000;
export const FRAME_PROGRESS = 64 * 1024;
/** A connection that receives nothing for this long is closed (timed sync sends something every minute). */
export const SILENCE_TIMEOUT = 300_000;
/** A peer that delivers no requested block for this long loses its sync slot to a waiting peer. */
export const SYNC_PATIENCE = 15_000;
/** The first blocks of a list are requested from a faster peer, too, after this time at the earliest. */
export const SYNC_MIN_PATIENCE = 1_000;
/** A peer that delivers no requested block for this long is disconnected, unless a large response is being received. */
export const SYNC_STALL_TIMEOUT = 60_000;
/** Maximum duration of one request, however slowly its response arrives. */
export const SYNC_REQUEST_LIMIT = 600_000;
/** Timeout for a response with transactions of a lite block. */
export const LITE_BLOCK_TIMEOUT = 20_000;
/** Without a response after this time, the next announcer gets a request as well. */
export const LITE_BLOCK_PATIENCE = 2_000;
export const WRITE_QUEUE_LIMIT = 32 * 1024 * 1024;

export const WHITE_LIST_LIMIT = 1000;
export const GRAY_LIST_LIMIT = 5000;
export const PEERS_PER_MESSAGE = 250;
/** Maximum entries of a list per address (IPv6: per /64), and per /16 (IPv6: /32). */
export const ENTRIES_PER_HOST = 2;
export const ENTRIES_PER_GROUP = 16;

export const MAX_CHAIN_HASHES = 10_000;

/** Bits of `capability_flags`. */
export const CAPABILITY_PRUNED = 1;
export const CAPABILITY_LITE = 2;
