import type { ChainWriter } from '@wrkz/chain-db';

/** When a pruned node deletes bodies (docs/operations/storage-modes.md#pruned). */
export interface PruneRules {
  /** Newest blocks whose bodies are stored. */
  readonly depth: number;
  /** New blocks from one pass to the next; 0 for no schedule. */
  readonly minGap: number;
  /** Free bytes below which a pass starts before it is scheduled. */
  readonly minFreeBytes: number;
  /** Free bytes below which blocks wait and steps are minimal. */
  readonly minDiskFreeBytes: number;
}

/** Free bytes that a step needs: more than the write-ahead log of the smallest step. */
const STEP_ROOM = 1024 * 1024;

/** The result of a pass. */
export interface PrunePass {
  /** Blocks below have no bodies. */
  readonly floor: number;
  readonly blocks: number;
  /** Pages returned to the file system. */
  readonly freedPages: number;
  /** The pass ran because disk space was low, not because it was scheduled. */
  readonly forced: boolean;
}

interface Pass {
  readonly target: number;
  readonly from: number;
  readonly forced: boolean;
  freedPages: number;
}

/**
 * Schedules pruning passes: one at the start, then at intervals or when disk space is low. Steps are short, so that commits are
 * not delayed for long.
 */
export class Pruning {
  private pass: Pass | undefined;
  /** The number of blocks when the last pass began. */
  private lastAt: number | undefined;

  constructor(
    private readonly rules: PruneRules,
    private readonly freeBytes: () => number,
  ) {}

  get isUnderWay(): boolean {
    return this.pass !== undefined;
  }

  /** Whether a step is due and possible: with a full disk the pass waits for space, like blocks. */
  get canStep(): boolean {
    return this.pass !== undefined && this.freeBytes() >= STEP_ROOM;
  }

  /** Whether the log must be checkpointed after each step: the file must shrink before the log grows. */
  get isTight(): boolean {
    return this.freeBytes() < this.rules.minDiskFreeBytes;
  }

  /** Call it at the start and after each change of the chain. @param floor blocks below have no bodies already */
  look(count: number, floor: number): void {
    if (this.pass !== undefined) return;
    const target = count - this.rules.depth;
    const scheduled = this.isScheduled(count);
    if (target <= floor && this.lastAt !== undefined) return;
    const forced = !scheduled && this.freeBytes() < this.rules.minFreeBytes;
    if (!scheduled && !forced) return;
    this.lastAt = count;
    this.pass = { target: Math.max(target, floor), from: floor, forced, freedPages: 0 };
  }

  /** One step. @returns the result of the pass when it is complete */
  step(writer: Pick<ChainWriter, 'pruneStep'>): PrunePass | undefined {
    const { pass } = this;
    if (pass === undefined) return undefined;
    const { floor, done, freedPages } = writer.pruneStep(pass.target, this.isTight ? 0 : undefined);
    pass.freedPages += freedPages;
    if (!done) return undefined;
    this.pass = undefined;
    return { floor, blocks: floor - pass.from, freedPages: pass.freedPages, forced: pass.forced };
  }

  private isScheduled(count: number): boolean {
    if (this.lastAt === undefined) return true;
    return this.rules.minGap > 0 && count - this.lastAt >= this.rules.minGap;
  }
}
