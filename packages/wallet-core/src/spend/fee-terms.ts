import { minimumFee } from '@wrkz/consensus';
import type { FeeRule } from '@wrkz/core-types';
import { failures } from './failures';
import type { FeeChoice } from './request';

/** Atomic units a byte of every age that counts bytes: 20 a chunk of 256, 10 a chunk of 128. */
const LEAST_RATE = 10 / 128;
const BEYOND_ALL_MONEY = 1n << 64n;

/** What a transaction has to pay under the fee rules that it will be judged by (docs/protocol/wallet.md#fees). */
export class FeeTerms {
  /** @throws WalletError 17 when a rate lies below the least one */
  constructor(
    private readonly choice: FeeChoice,
    private readonly rules: readonly FeeRule[],
  ) {
    if (choice.kind === 'perByte' && !(choice.rate >= LEAST_RATE)) throw failures.feeTooSmall();
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
    const { rate } = this.choice.kind === 'perByte' ? this.choice : { rate: LEAST_RATE };
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
