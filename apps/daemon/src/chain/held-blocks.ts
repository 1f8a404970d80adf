import type { VerifiedBlock } from '@wrkz/consensus';
import { HOLD_TIME, HOLD_WEIGHT, weightOf } from './limits';
import type { AddTask } from './tasks';

/** A block that passed every rule and is not on disk yet, with the call that brought it. */
export interface HeldBlock {
  readonly task: AddTask;
  readonly block: VerifiedBlock;
}

/**
 * Verified batches that wait for the next commit. Whoever brings blocks says whether more of them follow; while they do,
 * batches are committed together, because each commit writes many pages again that the next one writes again: of a long row
 * first one, then twice as many each time, so that a short one is not kept waiting. Nobody is told of a block before it is
 * on disk.
 */
export class HeldBlocks {
  private readonly batches: (readonly HeldBlock[])[] = [];
  private weight = 0;
  private since = 0;
  private wanted = false;
  /** Weight that a row of calls, each with more to follow, has brought to the disk. */
  private row = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(private readonly now: () => number) {}

  get isEmpty(): boolean {
    return this.batches.length === 0;
  }

  /** Whether they are to be committed: they are many, or old, or nothing is known to follow. */
  get isDue(): boolean {
    return !this.isEmpty && (this.wanted || this.weight >= Math.min(this.row, HOLD_WEIGHT) || this.timeLeft === 0);
  }

  /** Milliseconds until they are old. */
  get timeLeft(): number {
    return Math.max(0, this.since + HOLD_TIME - this.now());
  }

  /** Adds a batch; an empty one is nothing. */
  add(batch: readonly HeldBlock[]): void {
    if (batch.length === 0) return;
    if (this.isEmpty) this.since = this.now();
    this.batches.push(batch);
    for (const { block } of batch) {
      this.weight += weightOf(block.transactions.reduce((sum, { size }) => sum + size, block.block.bytes.length));
    }
    this.wanted ||= batch.some(({ task }) => !task.more);
  }

  /** All of them, as they were added. */
  take(): (readonly HeldBlock[])[] {
    this.row = this.wanted ? 0 : this.row + this.weight;
    this.weight = 0;
    this.wanted = false;
    return this.batches.splice(0);
  }
}
