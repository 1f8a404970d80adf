import type { ChainWriter } from '@wrkz/chain-db';

/** When a pruned node drops bodies (docs/operations/storage-modes.md#pruned). */
export interface PruneRules {
  /** Blocks whose bodies are kept. */
  readonly depth: number;
  /** New blocks from one pass to the next; 0 for no schedule. */
  readonly minGap: number;
  /** Free bytes below which a pass does not wait for the schedule. */
  readonly minFreeBytes: number;
  /** Free bytes below which blocks wait, and steps are the smallest there are. */
  readonly leastRoom: number;
}

/** Free bytes without which no step is made: what the log of the smallest one takes, and more. */
const STEP_ROOM = 1024 * 1024;

/** What a pass has done. */
export interface PrunePass {
  /** Blocks below have no bytes any more. */
  readonly floor: number;
  readonly blocks: number;
  /** Pages given back to the file system. */
  readonly freedPages: number;
  /** Short of space, and not by the schedule. */
  readonly forced: boolean;
}

interface Pass {
  readonly target: number;
  readonly from: number;
  readonly forced: boolean;
  freedPages: number;
}

/**
 * The passes of pruning: one at the start, then by the schedule or when space is short, each in short steps so that no commit
 * waits long.
 */
export class Pruning {
  private pass: Pass | undefined;
  /** The count of blocks when the last pass began. */
  private lastAt: number | undefined;

  constructor(
    private readonly rules: PruneRules,
    private readonly freeBytes: () => number,
  ) {}

  get isUnderWay(): boolean {
    return this.pass !== undefined;
  }

  /** Whether a step is to be made, and can be: with a full disk the pass waits for space, as blocks do. */
  get canStep(): boolean {
    return this.pass !== undefined && this.freeBytes() >= STEP_ROOM;
  }

  /** Whether what a step has written should leave the log at once, so that the file gets smaller before the log grows. */
  get isTight(): boolean {
    return this.freeBytes() < this.rules.leastRoom;
  }

  /** To be called at the start and after each change of the chain. @param floor below which bodies are gone already */
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

  /** One step. @returns what the pass has done, once it is over */
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
