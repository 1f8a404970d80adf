import type { MetricFactory } from '@wrkz/service-kit';

/** Two valid transactions that spend the same output. */
export interface DoubleSpend {
  /** Hash of the transaction in the pool. */
  readonly pooled: Buffer;
  /** Hash of the refused transaction. */
  readonly refused: Buffer;
  readonly keyImage: Buffer;
}

/** Double spends published per minute; a spender who signs many variants must not fill the event journal. */
const MAX_PER_MINUTE = 60;
/** Serialized bytes of double spends of peers per minute whose proofs are checked: those of 200 KB take half a second. */
const MAX_CHECKED_BYTES = 256 * 1024;
/** Pairs that are remembered, so that a repeated transaction is published once. */
const MAX_PAIRS = 1000;

/** Counts double spends, and selects those to check and those to publish: one per pair, at most 60 per minute. */
export class DoubleSpends {
  private total = 0;
  /** Oldest first. */
  private readonly pairs = new Set<string>();
  private published = 0;
  private checkedBytes = 0;
  private minuteStart = -Infinity;

  /** @param now monotonic seconds */
  constructor(private readonly now: () => number) {}

  publish(metrics: MetricFactory): void {
    metrics.counted(
      'pool_double_spends_total',
      'Valid transactions refused because a pooled transaction spends the same output',
      () => this.total,
    );
  }

  /** @returns whether to publish it */
  count({ pooled, refused }: DoubleSpend): boolean {
    this.total += 1;
    const pair = `${pooled.toString('hex')} ${refused.toString('hex')}`;
    if (this.pairs.has(pair)) return false;
    this.startMinute();
    if (this.published >= MAX_PER_MINUTE) return false;
    this.published += 1;
    this.pairs.add(pair);
    const [oldest] = this.pairs;
    if (this.pairs.size > MAX_PAIRS && oldest !== undefined) this.pairs.delete(oldest);
    return true;
  }

  /** Whether to check the proofs of another double spend of a peer. They only serve its report: the pool refuses it anyway. */
  mayCheck(bytes: number): boolean {
    this.startMinute();
    if (this.checkedBytes + bytes > MAX_CHECKED_BYTES) return false;
    this.checkedBytes += bytes;
    return true;
  }

  private startMinute(): void {
    const now = this.now();
    if (now - this.minuteStart >= 60) [this.minuteStart, this.published, this.checkedBytes] = [now, 0, 0];
  }
}
