import type { PowAlgorithm } from '@wrkz/crypto';

/** How many decoys a ring may have (ring size - 1). */
export interface MixinRange {
  readonly min: number;
  /** `Infinity` where the age knows no maximum. */
  readonly max: number;
  /** What wallets use. */
  readonly default: number;
  /** The ring that the minimum is judged on; the maximum is always judged on the largest. */
  readonly judgedOn: 'largest' | 'smallest';
}

/** The least fee of a transaction that is not a fusion: a sum, or a sum for each started chunk of bytes. */
export type FeeRule =
  | { readonly kind: 'fixed'; readonly amount: bigint }
  | { readonly kind: 'perChunk'; readonly chunk: number; readonly amount: bigint };

/**
 * Difficulty of the transaction proof of work: `fusion` for a fusion transaction, else
 * `base + (inputs + outputFactor x outputs) x perIo` (the first age has perIo 0).
 */
export interface TransactionPowRule {
  readonly base: bigint;
  readonly perIo: bigint;
  readonly outputFactor: number;
  readonly fusion: bigint;
}

/**
 * What is in force at one index. Each field says which index it is asked with: `own` is the index of the block
 * that is judged, `previous` the index of its parent (the tip's, for the pool). protocol.md 3 is the source.
 */
export interface Rules {
  /** own */
  readonly blockVersion: number;
  /** own; goes with blockVersion */
  readonly powAlgorithm: PowAlgorithm;
  /** own; bytes below which a block pays no size penalty; goes with blockVersion */
  readonly fullRewardZone: number;
  /** own; whether the size penalty also cuts the fees; goes with blockVersion */
  readonly feesPenalized: boolean;
  /** previous */
  readonly difficultyRule: 'legacy' | 'lwma4' | 'lwma5';
  /** own; seconds that a block's timestamp may lie ahead of the clock */
  readonly futureTimeLimit: number;
  /** own; blocks whose median timestamp a new block must reach */
  readonly timestampWindow: number;
  /** own; the same for a block template, which switches earlier */
  readonly templateTimestampWindow: number;
  /** own; the block's hash list must equal the delivered transactions, without repeats */
  readonly blockListChecked: boolean;
  /** own; the block reward before penalties; undefined: the emission curve */
  readonly baseReward: bigint | undefined;
  /** previous */
  readonly mixin: MixinRange;
  /** previous */
  readonly feeRule: FeeRule;
  /** previous; the least fee of a fusion transaction, taken off before its outputs are compared */
  readonly fusionFee: bigint;
  /** previous; the least input amount of a fusion transaction */
  readonly fusionDustThreshold: bigint;
  /** what wallets fold into one dust output when they decompose an amount */
  readonly dustThreshold: bigint;
  /** previous; extra must be SHORTER than so many bytes; in the pool `MAX_EXTRA_SIZE` always holds */
  readonly extraLimit: number | undefined;
  /** previous; the members found must be as many as the signatures; in the pool always */
  readonly signatureCountChecked: boolean;
  /** previous; time locks of ring members are judged by the tip's timestamp, before it by the clock */
  readonly timeLockByTip: boolean;
  /** previous; in the pool `MAX_TRANSACTION_OUTPUTS` always holds */
  readonly maxOutputs: number | undefined;
  /** previous */
  readonly maxOutputAmount: bigint | undefined;
  /** previous; undefined: none needed */
  readonly txPow: TransactionPowRule | undefined;
  /** previous; a transaction that is not a fusion passes without proof of work from this fee on */
  readonly feeEscapesPow: bigint | undefined;
  /** the template's own index: only in these 100 blocks does a template re-check the transaction proof of work */
  readonly templateChecksTxPow: boolean;
  /** previous; blocks (and `x 60` seconds) that an unlock time must lie ahead; undefined: free */
  readonly minimumUnlock: number | undefined;
  /** blocks that wallets add to an unlock time for the transaction's stay in the pool */
  readonly poolUnlockWindow: number;
  /** full nodes no longer sync from pruned peers (peer selection only) */
  readonly prunedPeersAvoided: boolean;
}

/** From index `from` on, these fields have these values. */
export interface RuleChange {
  readonly from: number;
  readonly change: Partial<Rules>;
}
