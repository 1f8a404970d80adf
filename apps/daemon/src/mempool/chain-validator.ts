import type { ChainReader } from '@wrkz/chain-db';
import {
  type ChainView,
  effectiveMedian,
  mixinAllowed,
  ringIndexes,
  RuleFailure,
  runProofs,
  settleTransaction,
  stageTransaction,
  templateSizeLimit,
  transactionSizeLimit,
  unlockTimeAllowed,
} from '@wrkz/consensus';
import { type Network, type ParsedTransaction, REORGANISATION_DEPTH } from '@wrkz/core-types';
import { UNLOCK_MARGIN } from './limits';
import type { Finality } from './rejection-scope';

/** Rules whose limits a new block can change for a valid transaction: ring size, max size, unlock time. */
export interface TipLimits {
  /** Equal if and only if ring sizes and max size are equal. */
  readonly key: string;
  /** Checks ring size and size only. No database lookups: it is called for every transaction of the pool. */
  check(parsed: ParsedTransaction): RuleFailure | undefined;
  /** Max serialized bytes of a transaction in a template. Blocks may contain larger ones. */
  readonly templateBytes: number;
  /** Whether neither the next block nor any later one can include a transaction with this unlock time. */
  isUnlockTimeExpired(unlockTime: bigint): boolean;
  /** Whether templates omit a transaction with this unlock time, now or within UNLOCK_MARGIN, although a block may contain it. */
  isUnlockTimeTooNear(unlockTime: bigint): boolean;
}

/** Validates transactions for the pool, always at the current tip of the chain. */
export interface PoolValidator {
  /** Max serialized bytes of a transaction at the current tip. */
  sizeLimit(): number;
  /**
   * Checks all rules of the pool, including proofs, at the current tip.
   * @param cheapest returns the first failure of a rule without proofs, also if the reference would report a failed proof: the
   * proofs of a transaction that is refused anyway may take a second of processing time
   */
  validate(parsed: ParsedTransaction, cheapest?: boolean): Promise<RuleFailure | undefined>;
  /** Whether a block added since `validate` includes the transaction or spends one of its key images. */
  checkSpent(parsed: ParsedTransaction): 'in block' | RuleFailure | undefined;
  /** The limits that apply at the current tip. */
  tipLimits(): TipLimits;
  /** Whether a rejection at the current tip holds for every node. */
  finality(parsed: ParsedTransaction): Finality;
}

/** The tip of the chain as the pool uses it; read once per tip. */
interface TipView {
  readonly view: ChainView;
  readonly hash: Buffer;
  readonly height: number;
  readonly timestamp: number;
  readonly medianSize: number;
}

/**
 * Validates against the stored chain. The reader may see a block before its commit event arrives: the result is then valid for
 * that newer tip, and the event starts another check.
 */
export class ChainValidator implements PoolValidator {
  private cached: TipView | undefined;

  constructor(
    private readonly network: Network,
    private readonly reader: ChainReader,
    /** Unix seconds. */
    private readonly now: () => number,
  ) {}

  sizeLimit(): number {
    return transactionSizeLimit(this.tip().medianSize);
  }

  async validate(parsed: ParsedTransaction, cheapest = false): Promise<RuleFailure | undefined> {
    const staged = this.reader.snapshot(() => {
      const tip = this.tip();
      return stageTransaction(parsed, {
        network: this.network,
        height: tip.height,
        blockTimestamp: tip.timestamp,
        view: tip.view,
        pool: true,
        checkpointed: false,
        medianSize: tip.medianSize,
        tipTimestamp: tip.timestamp,
        now: this.now(),
        spentInBlock: new Set(),
      });
    });
    if (cheapest && staged.failure !== undefined)
      return new RuleFailure(staged.failure, { transactionHash: parsed.hash });
    return settleTransaction(staged, await runProofs(staged.proofs));
  }

  checkSpent(parsed: ParsedTransaction): 'in block' | RuleFailure | undefined {
    return this.reader.snapshot(() => {
      if (this.reader.hasTransaction(parsed.hash)) return 'in block';
      const { view } = this.tip();
      const spent = parsed.transaction.inputs.some(
        (input) => input.type === 'key' && view.keyImageHeight(input.keyImage) !== undefined,
      );
      return spent ? new RuleFailure('INPUT_KEYIMAGE_ALREADY_SPENT') : undefined;
    });
  }

  tipLimits(): TipLimits {
    const { height, medianSize, timestamp } = this.tip();
    const { mixin, minimumUnlock } = this.network.rulesAt(height);
    const largest = transactionSizeLimit(medianSize);
    // The timestamp of a template is not before the clock.
    const earliest = Math.max(timestamp, this.now());
    const allows = (unlockTime: bigint, index: number, time: number): boolean =>
      minimumUnlock === undefined || unlockTimeAllowed(unlockTime, minimumUnlock, index, time);
    return {
      key: `${String(largest)} ${String(mixin.min)} ${String(mixin.max)} ${mixin.minAppliesTo}`,
      check: ({ size, transaction }) => {
        if (size > largest) return new RuleFailure('SIZE_TOO_LARGE');
        return mixinAllowed(transaction.inputs, mixin) ? undefined : new RuleFailure('INVALID_MIXIN');
      },
      templateBytes: templateSizeLimit(medianSize, height + 1),
      isUnlockTimeExpired: (unlockTime) => !allows(unlockTime, height, earliest),
      // Templates use their own index instead of that of the tip.
      isUnlockTimeTooNear: (unlockTime) => !allows(unlockTime, height + 1, earliest + UNLOCK_MARGIN),
    };
  }

  finality({ transaction }: ParsedTransaction): Finality {
    const { height, view } = this.tip();
    const { rulesAt } = this.network;
    const deep = height - REORGANISATION_DEPTH;
    return {
      // `rulesAt` returns the same object between two rule changes.
      rulesAreFinal: () => rulesAt(Math.max(0, deep)) === rulesAt(height + REORGANISATION_DEPTH),
      ringsAreFinal: () =>
        this.reader.snapshot(() =>
          transaction.inputs.every(
            (input) =>
              input.type === 'key' &&
              ringIndexes(input.keyOffsets).every((index) => {
                const member = view.output(input.amount, index);
                return member !== undefined && member.height <= deep;
              }),
          ),
        ),
    };
  }

  private tip(): TipView {
    const { height, hash, timestamp } = this.reader.tip();
    if (this.cached?.height === height && this.cached.hash.equals(hash)) return this.cached;
    const view = this.reader.viewAt(height);
    this.cached = { view, hash, height, timestamp, medianSize: effectiveMedian(this.network, view) };
    return this.cached;
  }
}
