import { BranchView, RuleFailure, runProofs, type StagedBlock, type VerifiedBlock, verifyBlock } from '@wrkz/consensus';
import { BATCH_BLOCKS, BATCH_BYTES } from './limits';
import { type AddBlockResult, refused, verdict } from './results';
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

/** What settling a batch did. */
export interface Settled {
  /** On disk now, ascending. */
  readonly added: readonly VerifiedBlock[];
  /** False when a block was refused: what was staged after it has no parent any more. */
  readonly clean: boolean;
}

/**
 * The fast path: the next blocks of the main chain. While the proofs of one batch run on native threads, the next batch
 * is staged on top of it; a batch becomes part of the chain in one transaction of the database.
 */
export class MainLine {
  private branch: BranchView;

  constructor(private readonly state: ChainState) {
    this.branch = this.freshBranch();
  }

  /** Forgets everything that is staged and not committed, e.g. because the main chain is another one now. */
  reset(): void {
    this.branch = this.freshBranch();
  }

  /**
   * Stages what comes next in the queue, as far as it simply extends the main chain, and starts its proofs.
   * @returns undefined when the next block (or task) is of another kind
   */
  gather(queue: readonly Task[]): Batch | undefined {
    // One read transaction for the whole batch: nothing is committed meanwhile, and beginning one costs time.
    const entries = this.state.reader.snapshot(() => this.stageNext(queue));
    if (entries.length === 0) return undefined;
    const verdicts = runProofs(entries.flatMap(({ staged }) => staged.proofs));
    // A batch that is thrown away is never awaited; its failure must not end the process.
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

  /** Waits for the proofs, commits the blocks that hold, gives every block looked at its result. */
  async settle({ entries, verdicts }: Batch): Promise<Settled> {
    const all = await verdicts;
    const added: VerifiedBlock[] = [];
    const results: { task: AddTask; result: AddBlockResult }[] = [];
    let clean = true;
    let from = 0;
    for (const { task, staged } of entries) {
      const own = all.slice(from, (from += staged.proofs.length));
      const judged = verifyBlock(staged, own);
      if (judged instanceof RuleFailure) {
        results.push({ task, result: refused(judged, staged.block.hash) });
        clean = false;
        break;
      }
      added.push(judged);
      results.push({ task, result: verdict('ADDED_TO_MAIN', judged.facts.hash, judged.facts.height) });
    }
    const stored = this.commit(added);
    const last = stored.at(-1);
    if (last !== undefined) this.branch.rebase(this.state.viewAt(last.facts.height));
    for (const [i, { task, result }] of results.entries()) {
      const unstorable = i >= stored.length ? added[i] : undefined;
      if (unstorable !== undefined) {
        task.settle(refused(new RuleFailure('INPUT_KEYIMAGE_ALREADY_SPENT'), unstorable.facts.hash));
        return { added: stored, clean: false };
      }
      task.settle(result);
    }
    return { added: stored, clean };
  }

  /**
   * All in one transaction. In the checkpoint zone no rule looks whether a key image was spent before, so a false
   * block gets as far as the table of key images, which refuses it: then the blocks before it are stored one by one.
   * @returns the blocks that are on disk now
   */
  private commit(blocks: readonly VerifiedBlock[]): readonly VerifiedBlock[] {
    const { writer } = this.state;
    try {
      writer.append(blocks);
      return blocks;
    } catch (error) {
      if (spentAgainAt(error, blocks) === undefined) throw error;
    }
    for (const [i, block] of blocks.entries()) {
      try {
        writer.append([block]);
      } catch (error) {
        if (spentAgainAt(error, [block]) === undefined) throw error;
        return blocks.slice(0, i);
      }
    }
    return blocks;
  }

  private extends(previousHash: Buffer): boolean {
    return this.branch.facts(this.branch.height).hash.equals(previousHash);
  }

  private freshBranch(): BranchView {
    return new BranchView(this.state.viewAt(this.state.tip.height));
  }
}
