/**
 * What the rules need to know of the chain below a block. Consensus reads nothing itself: a database, a branch of
 * staged blocks or the arrays of a test answer its questions.
 */

/** What is remembered of a block besides its bytes; enough for every rule that looks back. */
export interface BlockFacts {
  readonly height: number;
  readonly hash: Buffer;
  readonly majorVersion: number;
  readonly minorVersion: number;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Cumulative size in bytes: the coinbase and the transactions, neither header nor parent block. */
  readonly size: number;
  readonly difficulty: bigint;
  readonly cumulativeDifficulty: bigint;
  /** Atomic units in existence after this block. */
  readonly generatedCoins: bigint;
  /** Transactions in the chain up to this block, coinbases included. */
  readonly generatedTransactions: number;
}

/** An output as a ring member: its one-time key and what decides whether it may be spent. */
export interface OutputFacts {
  readonly key: Buffer;
  readonly unlockTime: bigint;
  /** Index of the block that holds it. */
  readonly height: number;
}

/** One branch of the chain, seen from its tip. Nothing above `height` is visible. */
export interface ChainView {
  /** Index of the block at the branch's tip. */
  readonly height: number;
  /** @throws RangeError above `height` or below 0 */
  facts(height: number): BlockFacts;
  /** Up to `count` blocks ending with index `end`, oldest first, genesis included. */
  window(end: number, count: number): readonly BlockFacts[];
  /** Index of the block that spent this key image, undefined when no block of the branch did. */
  keyImageHeight(keyImage: Buffer): number | undefined;
  /** The output of this amount with this global index, undefined when there is none. */
  output(amount: bigint, index: number): OutputFacts | undefined;
  /** How many outputs of this amount the branch holds. */
  outputCount(amount: bigint): number;
  /** Whether a block of the branch holds this transaction; no rule asks, the pool does. */
  hasTransaction?(hash: Buffer): boolean;
}
