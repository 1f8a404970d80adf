import type { RawBlock } from '@wrkz/core-types';
import { readCandidate, type CandidateBlock } from './candidate-block';
import { type AddBlockResult, isAccepted } from './results';
import type { BlockSource } from './service';

/** The blocks of one call, and their progress: settled <= staged <= all. */
export class AddTask {
  readonly results: AddBlockResult[] = [];
  /** Blocks that are settled or in flight. */
  staged = 0;
  private read: { readonly index: number; readonly candidate: CandidateBlock | undefined } | undefined;
  private over = false;

  constructor(
    readonly blocks: readonly RawBlock[],
    readonly source: BlockSource,
    /** More blocks follow: the verified blocks may wait and be committed together. */
    readonly more: boolean,
    private readonly resolve: (results: AddBlockResult[]) => void,
    readonly reject: (error: Error) => void,
  ) {}

  /** Every block is settled, or one was refused. */
  get finished(): boolean {
    return this.over || this.results.length === this.blocks.length;
  }

  /** Block `index`, parsed; undefined when it is invalid. The last one is cached. */
  candidate(index: number): CandidateBlock | undefined {
    if (this.read?.index !== index) {
      const raw = this.blocks[index];
      this.read = { index, candidate: raw === undefined ? undefined : readCandidate(raw) };
    }
    return this.read.candidate;
  }

  /** Sets the result of the next block. */
  settle(result: AddBlockResult): void {
    this.results.push(result);
    this.staged = Math.max(this.staged, this.results.length);
    if (!isAccepted(result)) this.over = true;
  }

  /** Resolves the caller's promise. Call it after the commit events of these blocks: listeners get the events first. */
  resolveResults(): void {
    this.resolve(this.results);
  }

  /** Drops blocks in flight. */
  unstage(): void {
    this.staged = this.results.length;
  }
}

export class RewindTask {
  constructor(
    readonly height: number,
    readonly resolve: () => void,
    readonly reject: (error: Error) => void,
  ) {}
}

export type Task = AddTask | RewindTask;
