/**
 * Chain data that the rules need. This package performs no I/O: a database, a branch of staged blocks or the arrays of a test
 * implement the interface.
 */

/** Data of an earlier block that the rules need. */
export interface BlockFacts {
  readonly height: number;
  readonly hash: Buffer;
  readonly majorVersion: number;
  readonly minorVersion: number;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Cumulative size in bytes: the coinbase and the transactions, without header and parent block. */
  readonly size: number;
  readonly difficulty: bigint;
  readonly cumulativeDifficulty: bigint;
  /** Atomic units in existence after this block. */
  readonly generatedCoins: bigint;
  /** Transactions in the chain up to this block, coinbases included. */
  readonly generatedTransactions: number;
}

/** An output as a ring member: its one-time key and the data that decides whether it may be spent. */
export interface OutputFacts {
  readonly key: Buffer;
  readonly unlockTime: bigint;
  /** Index of its block. */
  readonly height: number;
}

/** One branch of the chain up to its tip. Nothing above `height` is visible. */
export interface ChainView {
  /** Index of the block at the branch's tip. */
  readonly height: number;
  /** @throws RangeError above `height` or below 0 */
  facts(height: number): BlockFacts;
  /** Up to `count` blocks ending with index `end`, oldest first, genesis included. */
  window(end: number, count: number): readonly BlockFacts[];
  /** Index of the block that spent this key image, undefined if unspent on the branch. */
  keyImageHeight(keyImage: Buffer): number | undefined;
  /** The output of this amount with this global index, undefined if there is none. */
  output(amount: bigint, index: number): OutputFacts | undefined;
  /** Number of outputs of this amount on the branch. */
  outputCount(amount: bigint): number;
  /** Whether the branch contains this transaction. Used by the pool only, not by rules. */
  hasTransaction?(hash: Buffer): boolean;
}
