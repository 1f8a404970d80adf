import { minimumFee, templateSizeLimit, transactionPowDifficulty, walletTransactionSizeLimit } from '@wrkz/consensus';
import type { FeeRule, MixinRange, Network, TransactionPrefix } from '@wrkz/core-types';
import type { FeeChoice } from './model';
import { walletError } from '../errors';

/** Blocks that an unlock time lies ahead at least (docs/protocol/transactions.md#unlock-time). */
export const MIN_UNLOCK_BLOCKS = 15;

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
    /** Index of the highest block that the wallet has applied: a node's claim must not decide how long money is locked. */
    readonly appliedHeight: number = networkHeight,
  ) {
    this.heights = [...new Set([localHeight, localHeight + 1, networkHeight, networkHeight + 1])];
  }

  /**
   * The ring sizes that the pool accepts now and the next block accepts too: a transaction that only the pool accepts would
   * never be mined.
   */
  get mixin(): MixinRange {
    const now = this.network.rulesAt(this.localHeight).mixin;
    const next = this.network.rulesAt(this.localHeight + 1).mixin;
    const [min, max] = [Math.max(now.min, next.min), Math.min(now.max, next.max)];
    return min <= max ? { ...now, min, max } : now;
  }

  /** The ring size of a send that requests none. */
  get defaultMixin(): number {
    const { min, max, default: usual } = this.mixin;
    return Math.min(Math.max(usual, min), max);
  }

  get defaultUnlockTime(): bigint {
    const { poolUnlockWindow } = this.network.rulesAt(this.appliedHeight);
    return BigInt(this.appliedHeight + poolUnlockWindow + MIN_UNLOCK_BLOCKS);
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

/** Atomic units a byte of every age that counts bytes: 20 a chunk of 256, 10 a chunk of 128. */
const MIN_RATE = 10 / 128;
const BEYOND_ALL_MONEY = 1n << 64n;

/** What a transaction has to pay under the fee rules that it will be judged by (docs/protocol/wallet.md#fees). */
export class FeeTerms {
  /** @throws WalletError 17 when a rate lies below the least one */
  constructor(
    private readonly choice: FeeChoice,
    private readonly rules: readonly FeeRule[],
  ) {
    if (choice.kind === 'perByte' && !(choice.rate >= MIN_RATE)) throw walletError.feeTooSmall();
  }

  /** The sum that the sender fixed; undefined when it follows from the size. */
  get fixed(): bigint | undefined {
    return this.choice.kind === 'fixed' ? this.choice.amount : undefined;
  }

  /** What the network asks at least for a size. */
  least(size: number): bigint {
    return this.rules.map((rule) => minimumFee(size, rule)).reduce(larger, 0n);
  }

  /** What a transaction of this size pays. */
  of(size: number): bigint {
    if (this.choice.kind === 'fixed') return this.choice.amount;
    const { rate } = this.choice.kind === 'perByte' ? this.choice : { rate: MIN_RATE };
    return this.rules.map((rule) => atRate(size, rule, rate)).reduce(larger, this.least(size));
  }

  /** Whether a finished fee is what was meant: a fixed one exactly, another no less and no more than twice its size's. */
  isExpected(fee: bigint, size: number): boolean {
    return this.fixed === undefined ? fee >= this.of(size) && fee <= 2n * this.of(size) : fee === this.fixed;
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Whole chunks only, rounded down; a rate beyond measure costs more than there is. */
function atRate(size: number, rule: FeeRule, rate: number): bigint {
  if (rule.kind === 'fixed') return rule.amount;
  const fee = Math.floor(Math.ceil(size / rule.chunk) * rate * rule.chunk);
  return fee < Number(BEYOND_ALL_MONEY) ? BigInt(fee) : BEYOND_ALL_MONEY;
}
