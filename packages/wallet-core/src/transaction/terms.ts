import { minimumFee, templateSizeLimit, transactionPowDifficulty, walletTransactionSizeLimit } from '@wrkz/consensus';
import { type FeeRule, MAX_UINT64, type MixinRange, type Network, type TransactionPrefix } from '@wrkz/core-types';
import type { FeeChoice } from './model';
import { walletError } from '../errors';

/** Min number of blocks from the node's top block to an unlock height (docs/protocol/transactions.md#unlock-time). */
export const MIN_UNLOCK_BLOCKS = 15;

/**
 * The consensus and pool rules for a new transaction. The pool applies the rules at the node's top block, a block template
 * those of the next height, and the network may be ahead of the node. Fee and proof of work satisfy the rules at all these
 * heights, so that a rule change at the next block does not invalidate the transaction.
 */
export class SendTerms {
  private readonly heights: readonly number[];

  constructor(
    readonly network: Network,
    readonly localHeight: number,
    readonly networkHeight: number,
    /** Index of the highest applied block. An unverified height of a node must not determine how long outputs are locked. */
    readonly appliedHeight: number = networkHeight,
  ) {
    this.heights = [...new Set([localHeight, localHeight + 1, networkHeight, networkHeight + 1])];
  }

  /** The ring sizes that both the pool and the next block accept. */
  get mixin(): MixinRange {
    const now = this.network.rulesAt(this.localHeight).mixin;
    const next = this.network.rulesAt(this.localHeight + 1).mixin;
    const [min, max] = [Math.max(now.min, next.min), Math.min(now.max, next.max)];
    return min <= max ? { ...now, min, max } : now;
  }

  get defaultMixin(): number {
    const { min, max, default: defaultMixin } = this.mixin;
    return Math.min(Math.max(defaultMixin, min), max);
  }

  get defaultUnlockTime(): bigint {
    const { poolUnlockWindow } = this.network.rulesAt(this.appliedHeight);
    return BigInt(this.appliedHeight + poolUnlockWindow + MIN_UNLOCK_BLOCKS);
  }

  /** Max size in bytes. Such a transaction fits into a block template even if the recent blocks were small. */
  get maxSize(): number {
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

  /** Whether a transaction with this fee needs no proof of work at any of the heights. */
  isPowFree(fee: bigint): boolean {
    return this.heights.every((height) => {
      const { txPow, feeEscapesPow } = this.network.rulesAt(height);
      return txPow === undefined || (feeEscapesPow !== undefined && fee >= feeEscapesPow);
    });
  }

  /** The highest proof-of-work difficulty at any of the heights. */
  difficulty(prefix: Pick<TransactionPrefix, 'inputs' | 'outputs'>): bigint {
    return this.heights.map((height) => transactionPowDifficulty(prefix, this.network, height)).reduce(larger);
  }
}

/** Min fee in atomic units per byte. All size-based rules have the same rate: 20 per 256 bytes, 10 per 128 bytes. */
const MIN_RATE = 10 / 128;

/** Fee rules at several heights (docs/protocol/wallet.md#fees). Sizes are in bytes, fees in atomic units. */
export class FeeTerms {
  /** @throws WalletError feeTooSmall when a rate is below the minimum or NaN */
  constructor(
    private readonly choice: FeeChoice,
    private readonly rules: readonly FeeRule[],
  ) {
    if (choice.kind === 'perByte' && !(choice.rate >= MIN_RATE)) throw walletError.feeTooSmall();
  }

  /** The fixed fee chosen by the sender; undefined if the fee depends on the size. */
  get fixed(): bigint | undefined {
    return this.choice.kind === 'fixed' ? this.choice.amount : undefined;
  }

  /** The minimum fee of the network. */
  min(size: number): bigint {
    return this.rules.map((rule) => minimumFee(size, rule)).reduce(larger, 0n);
  }

  /** The fee for a transaction of this size. */
  forSize(size: number): bigint {
    if (this.choice.kind === 'fixed') return this.choice.amount;
    const { rate } = this.choice.kind === 'perByte' ? this.choice : { rate: MIN_RATE };
    return this.rules.map((rule) => atRate(size, rule, rate)).reduce(larger, this.min(size));
  }

  /** Whether the fee equals a fixed fee, or is between `forSize` and twice that amount. */
  isExpected(fee: bigint, size: number): boolean {
    if (this.fixed !== undefined) return fee === this.fixed;
    return fee >= this.forSize(size) && fee <= 2n * this.forSize(size);
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Rounds the size up to whole chunks. A fee above 64 bits or Infinity becomes 2^64, which exceeds every balance. */
function atRate(size: number, rule: FeeRule, rate: number): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  const fee = Math.floor(Math.ceil(size / rule.chunk) * rate * rule.chunk);
  return fee < Number(MAX_UINT64) ? BigInt(fee) : MAX_UINT64 + 1n;
}
