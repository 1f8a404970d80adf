/** Constants of all networks, independent of the height (docs/protocol/networks.md#identity). */

export const TICKER = 'WRKZ';
/** 100 atomic units are 1.00 WRKZ. */
export const DECIMAL_PLACES = 2;

export const ADDRESS_PREFIX = 999_730n;
/** The first characters of every address, from its prefix number. */
export const ADDRESS_PREFIX_TEXT = 'Wrkz';
export const STANDARD_ADDRESS_LENGTH = 98;
/** With a payment id of 16 and of 64 hex characters. */
export const INTEGRATED_ADDRESS_LENGTH_SHORT = 120;
export const INTEGRATED_ADDRESS_LENGTH_LONG = 186;

/** Target seconds between blocks. */
export const DIFFICULTY_TARGET = 60;

/** Atomic units; the emission curve is `(MONEY_SUPPLY - generated) >> EMISSION_SPEED_FACTOR`. */
export const MONEY_SUPPLY = 50_000_000_000_000n;
export const EMISSION_SPEED_FACTOR = 22n;
/** A coinbase's unlock time is its own index plus this. */
export const COINBASE_UNLOCK_WINDOW = 40;
/** Number of blocks of the median size that rewards and limits use. */
export const REWARD_BLOCKS_WINDOW = 100;
/** Bytes reserved for the coinbase: in templates, and in the size limit of a transaction below twice the median. */
export const COINBASE_RESERVED_SIZE = 600;
/** Max outputs of a template's coinbase. */
export const MAX_COINBASE_OUTPUTS = 11;

/** Largest block: 100,000 bytes and 102,400 more each year of 525,600 blocks. */
export const BLOCK_SIZE_INITIAL = 100_000;
export const BLOCK_SIZE_GROWTH_NUMERATOR = 102_400;
export const BLOCK_SIZE_GROWTH_DENOMINATOR = 525_600;
export const MAX_PARENT_BLOCK_SIZE = 2048;
/**
 * Longer bytes are not decoded: no block or transaction is longer. The reference decodes whatever fits in a message; the
 * largest valid block, hash list included, reaches this length at about index 16,000,000.
 */
export const MAX_BLOCK_BYTES = 4 * 1024 * 1024;
/** The highest block version that parses. */
export const MAX_BLOCK_VERSION = 7;
/** The highest version of a transaction that parses. */
export const MAX_TRANSACTION_VERSION = 1;
export const MAX_MERGE_MINING_DEPTH = 256;
/**
 * Max depth of a reorganisation in blocks: a branch that forks further below the tip is never followed
 * (docs/protocol/blocks.md#reorganisation).
 */
export const REORGANISATION_DEPTH = 180;

/** Unlock times below this value are block indexes, others are Unix times. */
export const UNLOCK_TIME_BOUNDARY = 500_000_000n;
/** Tolerance of unlock times: an output unlocks this number of blocks, or seconds, early. */
export const UNLOCK_DELTA_BLOCKS = 1n;
export const UNLOCK_DELTA_SECONDS = 60n;

/** Extra must be shorter than this (the pool: always; blocks: `Rules.extraLimit`). */
export const MAX_EXTRA_SIZE = 1024;
/** The pool: always; blocks: `Rules.maxOutputs`. */
export const MAX_TRANSACTION_OUTPUTS = 90;
/** The largest output that a wallet makes. */
export const MAX_WALLET_OUTPUT = 500_000_000_000n;

export const FUSION_MAX_SIZE = 30_000;
export const FUSION_MIN_INPUTS = 12;
export const FUSION_MIN_INPUT_OUTPUT_RATIO = 4;

/** Windows of the difficulty rules: number of blocks, outliers dropped at each end after sorting, lag. */
export const DIFFICULTY_WINDOW_LEGACY = { window: 17, cut: 0, lag: 0 } as const;
export const DIFFICULTY_WINDOW_VERSION_1_2 = { window: 2880, cut: 60, lag: 15 } as const;
export const LWMA_WINDOW = 60;
