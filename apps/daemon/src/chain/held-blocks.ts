import type { VerifiedBlock } from '@wrkz/consensus';
import { HOLD_TIME, HOLD_WEIGHT, weightOf } from './limits';
import type { AddTask } from './tasks';

/** A verified block that is not committed yet, with the call that it came with. */
export interface HeldBlock {
  readonly task: AddTask;
  readonly block: VerifiedBlock;
}

/**
 * Verified batches that wait for the next commit. While the caller announces that more blocks follow, batches are committed
 * together, because successive commits write many of the same pages: first one batch, then twice as many each time, so that a
 * short series does not wait. A block is published only after it is on disk.
 */
export class HeldBlocks {
  private readonly batches: (readonly HeldBlock[])[] = [];
  private weight = 0;
  private since = 0;
  private wanted = false;
  /** Committed weight of the current series of calls. */
  private series = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number) {}

  get isEmpty(): boolean {
    return this.batches.length === 0;
  }

  /** Whether to commit: the batches are large or old, or no block is known to follow. */
  get isDue(): boolean {
    return !this.isEmpty && (this.wanted || this.weight >= Math.min(this.series, HOLD_WEIGHT) || this.timeLeft === 0);
  }

  /** Milliseconds until the oldest batch is due. */
  get timeLeft(): number {
    return Math.max(0, this.since + HOLD_TIME - this.now());
  }

  /** Adds a batch; an empty batch is ignored. */
  add(batch: readonly HeldBlock[]): void {
    if (batch.length === 0) return;
    if (this.isEmpty) this.since = this.now();
    this.batches.push(batch);
    for (const { block } of batch) {
      this.weight += weightOf(block.transactions.reduce((sum, { size }) => sum + size, block.block.bytes.length));
    }
    this.wanted ||= batch.some(({ task }) => !task.more);
  }

  /** Removes all batches, in the order in which they were added. */
  take(): (readonly HeldBlock[])[] {
    this.series = this.wanted ? 0 : this.series + this.weight;
    this.weight = 0;
    this.wanted = false;
    return this.batches.splice(0);
  }
}
