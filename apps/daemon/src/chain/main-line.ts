import { BranchView, RuleFailure, runProofs, type StagedBlock, type VerifiedBlock, verifyBlock } from '@wrkz/consensus';
import type { HeldBlock } from './held-blocks';
import { BATCH_BLOCKS, BATCH_BYTES } from './limits';
import { type AddBlockResult, refused } from './results';
import { spentAgainAt } from './spent-again';
import type { ChainState } from './state';
import { AddTask, type Task } from './tasks';

interface Entry {
  readonly task: AddTask;
  readonly staged: StagedBlock;
}

/** Blocks that extend the main chain, staged, their proofs running. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly verdicts: Promise<boolean[]>;
}

/** A batch whose proofs were checked. */
export interface Judged {
  /** Valid blocks, ascending. */
  readonly verified: readonly HeldBlock[];
  /** The block after them is refused. Blocks that were staged after it have no parent. */
  readonly refusal: Refusal | undefined;
}

interface Refusal {
  readonly task: AddTask;
  readonly result: AddBlockResult;
}

/**
 * The fast path: the next blocks of the main chain. While the proofs of one batch run on native threads, the next batch
 * is staged on top of it; one or several batches become part of the chain in one transaction of the database.
 */
export class MainLine {
  private branch: BranchView;

  constructor(private readonly state: ChainState) {
    this.branch = this.freshBranch();
  }

  /** Drops everything that is staged and not committed, for example after a reorganisation. */
  reset(): void {
    this.branch = this.freshBranch();
  }

  /**
   * Stages the next blocks of the queue that extend the main chain, and starts their proofs.
   * @returns undefined when the next block or task is of another kind
   */
  gather(queue: readonly Task[]): Batch | undefined {
    // One read transaction for the whole batch: nothing is committed meanwhile, and beginning one costs time.
    const entries = this.state.reader.snapshot(() => this.stageNext(queue));
    if (entries.length === 0) return undefined;
    const verdicts = runProofs(entries.flatMap(({ staged }) => staged.proofs));
    // Avoids an unhandled rejection: a dropped batch is never awaited.
    verdicts.catch(() => undefined);
    return { entries, verdicts };
  }

  private stageNext(queue: readonly Task[]): Entry[] {
    const entries: Entry[] = [];
    let bytes = 0;
    const proceed = (): boolean => entries.length < BATCH_BLOCKS && bytes < BATCH_BYTES;
    outer: for (const task of queue) {
      if (!(task instanceof AddTask)) break;
      while (task.staged < task.blocks.length) {
        if (!proceed()) break outer;
        const candidate = task.candidate(task.staged);
        if (candidate === undefined || !this.extends(candidate.block.block.previousHash)) break outer;
        const staged = this.state.stage(candidate, this.branch);
        entries.push({ task, staged });
        task.staged += 1;
        bytes += candidate.bytes;
        if (staged.failure !== undefined) break outer;
        this.branch.push(staged);
      }
    }
    return entries;
  }

  /** Waits for the proofs. Nothing is committed yet. */
  async judge({ entries, verdicts }: Batch): Promise<Judged> {
    const all = await verdicts;
    const verified: HeldBlock[] = [];
    let from = 0;
    for (const { task, staged } of entries) {
      const own = all.slice(from, (from += staged.proofs.length));
      const judged = verifyBlock(staged, own);
      if (judged instanceof RuleFailure) {
        return { verified, refusal: { task, result: refused(judged, staged.block.hash) } };
      }
      verified.push({ task, block: judged });
    }
    return { verified, refusal: undefined };
  }

  /**
   * Commits blocks in one transaction. In the checkpoint zone no rule checks whether a key image is spent, so the database
   * refuses a double spend: then the blocks before it are committed.
   * @returns the number of committed blocks; the block after them is refused
   */
  commit(blocks: readonly VerifiedBlock[]): number {
    const stored = this.append(blocks);
    const last = blocks[stored - 1];
    if (last !== undefined) this.branch.rebase(this.state.viewAt(last.facts.height));
    return stored;
  }

  private append(blocks: readonly VerifiedBlock[]): number {
    try {
      this.state.writer.append(blocks);
      return blocks.length;
    } catch (error) {
      const height = spentAgainAt(error, blocks);
      if (height === undefined) throw error;
      return this.append(blocks.filter(({ facts }) => facts.height < height));
    }
  }

  private extends(previousHash: Buffer): boolean {
    return this.branch.facts(this.branch.height).hash.equals(previousHash);
  }

  private freshBranch(): BranchView {
    return new BranchView(this.state.viewAt(this.state.tip.height));
  }
}
