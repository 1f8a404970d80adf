import type { PowAlgorithm } from '@wrkz/crypto';

/** Allowed number of decoys of a ring (ring size - 1). */
export interface MixinRange {
  readonly min: number;
  /** `Infinity` if there is no maximum. */
  readonly max: number;
  /** Used by wallets. */
  readonly default: number;
  /** The ring that the minimum is compared with; the maximum is always compared with the largest. */
  readonly minAppliesTo: 'largest' | 'smallest';
}

/** The min fee of a transaction that is not a fusion: an amount, or an amount per started chunk of bytes. */
export type FeeRule =
  | { readonly kind: 'fixed'; readonly amount: bigint }
  | { readonly kind: 'perChunk'; readonly chunk: number; readonly amount: bigint };

/**
 * Difficulty of the transaction proof of work: `fusion` for a fusion transaction, else
 * `base + (inputs + outputFactor x outputs) x perIo` (perIo is 0 at first).
 */
export interface TransactionPowRule {
  readonly base: bigint;
  readonly perIo: bigint;
  readonly outputFactor: number;
  readonly fusion: bigint;
}

/**
 * The rules in force at an index. Each field names its index: `own` is the index of the validated block, `previous` that of
 * its parent (in the pool: of the tip). Source:
 * docs/protocol/networks.md#which-index.
 */
export interface Rules {
  /** own */
  readonly blockVersion: number;
  /** own; changes with blockVersion */
  readonly powAlgorithm: PowAlgorithm;
  /** own; bytes below which a block has no size penalty; changes with blockVersion */
  readonly fullRewardZone: number;
  /** own; whether the size penalty also reduces the fees; changes with blockVersion */
  readonly feesPenalized: boolean;
  /** previous */
  readonly difficultyRule: 'legacy' | 'lwma4' | 'lwma5';
  /** own; max seconds that a block's timestamp may be ahead of the clock */
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
  /** previous; the min fee of a fusion transaction, subtracted before its outputs are compared */
  readonly fusionFee: bigint;
  /** previous; the min input amount of a fusion transaction */
  readonly fusionDustThreshold: bigint;
  /** wallets combine this into one dust output when they decompose an amount */
  readonly dustThreshold: bigint;
  /** previous; extra must be SHORTER than this number of bytes; in the pool `MAX_EXTRA_SIZE` always applies */
  readonly extraLimit: number | undefined;
  /** previous; the number of ring members found must equal the number of signatures; in the pool always */
  readonly signatureCountChecked: boolean;
  /** previous; whether unlock times of ring members are compared with the tip's timestamp; otherwise with the clock */
  readonly timeLockByTip: boolean;
  /** previous; in the pool `MAX_TRANSACTION_OUTPUTS` always applies */
  readonly maxOutputs: number | undefined;
  /** previous */
  readonly maxOutputAmount: bigint | undefined;
  /** previous; undefined: no proof of work required */
  readonly txPow: TransactionPowRule | undefined;
  /** previous; a transaction that is not a fusion passes without proof of work from this fee on */
  readonly feeEscapesPow: bigint | undefined;
  /** the template's own index: only in these 100 blocks does a template re-check the transaction proof of work */
  readonly templateChecksTxPow: boolean;
  /** previous; blocks (or `x 60` seconds) that an unlock time must be ahead; undefined: any */
  readonly minimumUnlock: number | undefined;
  /** blocks that wallets add to an unlock time for the time of the transaction in the pool */
  readonly poolUnlockWindow: number;
  /** full nodes no longer sync from pruned peers (peer selection only) */
  readonly prunedPeersAvoided: boolean;
}

/** From index `from` on, these fields have these values. */
export interface RuleChange {
  readonly from: number;
  readonly change: Partial<Rules>;
}
