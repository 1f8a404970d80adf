import { templateSizeLimit, transactionPowDifficulty, walletTransactionSizeLimit } from '@wrkz/consensus';
import type { MixinRange, Network, TransactionPrefix } from '@wrkz/core-types';
import type { FeeChoice } from './request';
import { FeeTerms } from './fee-terms';

/** Blocks that an unlock time lies ahead at least (docs/protocol/transactions.md#unlock-time). */
export const LEAST_UNLOCK = 15;

/**
 * What holds for a transaction made at some heights. It is judged at the node's own top, and once more one block later
 * by a template; the network's top says where the chain stands when the node is behind. Fee and work satisfy all of
 * them, so that a send next to a change of the rules is mined and not dropped.
 */
export class SendTerms {
  private readonly heights: readonly number[];

  constructor(
    readonly network: Network,
    readonly localHeight: number,
    readonly networkHeight: number,
  ) {
    this.heights = [...new Set([localHeight, localHeight + 1, networkHeight, networkHeight + 1])];
  }

  /** The ring sizes of the node's own top. */
  get mixin(): MixinRange {
    return this.network.rulesAt(this.localHeight).mixin;
  }

  /** What a send takes that asks for none: the default of today as far as the next block takes it too. */
  get usualMixin(): number {
    const next = this.network.rulesAt(this.localHeight + 1).mixin;
    const { min, max, default: usual } = this.mixin;
    const fits = Math.min(Math.max(usual, next.min), next.max);
    return Math.min(Math.max(fits, min), max);
  }

  get defaultUnlockTime(): bigint {
    const { poolUnlockWindow } = this.network.rulesAt(this.networkHeight);
    return BigInt(this.networkHeight + poolUnlockWindow + LEAST_UNLOCK);
  }

  /** Bytes; what fits a template even where no block was ever large. */
  get largestSize(): number {
    const { fullRewardZone } = this.network.rulesAt(this.localHeight + 1);
    return Math.min(
      walletTransactionSizeLimit(this.networkHeight),
      templateSizeLimit(fullRewardZone, this.localHeight + 1),
    );
  }

  fees(choice: FeeChoice): FeeTerms {
    return new FeeTerms(
      choice,
      this.heights.map((height) => this.network.rulesAt(height).feeRule),
    );
  }

  /** Whether a fee buys off the work, or no age asks for any. */
  isFreeOfWork(fee: bigint): boolean {
    return this.heights.every((height) => {
      const { txPow, feeEscapesPow } = this.network.rulesAt(height);
      return txPow === undefined || (feeEscapesPow !== undefined && fee >= feeEscapesPow);
    });
  }

  /** Of the work that is to be done. */
  difficulty(prefix: Pick<TransactionPrefix, 'inputs' | 'outputs'>): bigint {
    return this.heights
      .map((height) => transactionPowDifficulty(prefix, this.network, height))
      .reduce((a, b) => (a > b ? a : b));
  }
}
