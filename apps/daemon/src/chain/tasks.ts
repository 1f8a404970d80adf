import type { RawBlock } from '@wrkz/core-types';
import { readCandidate, type CandidateBlock } from './candidate-block';
import { type AddBlockResult, isAccepted } from './results';
import type { BlockSource } from './service';

/** Blocks of one call, and how far they have come: settled <= staged <= all. */
export class AddTask {
  readonly results: AddBlockResult[] = [];
  /** Blocks that are settled or on their way. */
  staged = 0;
  private read: { readonly index: number; readonly candidate: CandidateBlock | undefined } | undefined;
  private over = false;

  constructor(
    readonly blocks: readonly RawBlock[],
    readonly source: BlockSource,
    /** More blocks follow on these: they may wait, verified, and be committed together. */
    readonly more: boolean,
    private readonly resolve: (results: AddBlockResult[]) => void,
    readonly reject: (error: Error) => void,
  ) {}

  /** Answered: every block is settled, or one was refused. */
  get finished(): boolean {
    return this.over || this.results.length === this.blocks.length;
  }

  /** Block `index`, parsed; undefined when it does not parse. The last one asked for is remembered. */
  candidate(index: number): CandidateBlock | undefined {
    if (this.read?.index !== index) {
      const raw = this.blocks[index];
      this.read = { index, candidate: raw === undefined ? undefined : readCandidate(raw) };
    }
    return this.read.candidate;
  }

  /** The answer for the next block that has none. */
  settle(result: AddBlockResult): void {
    this.results.push(result);
    this.staged = Math.max(this.staged, this.results.length);
    if (!isAccepted(result)) this.over = true;
  }

  /** Answers the caller. Called after the commit events of these blocks, so that every listener hears of them first. */
  answer(): void {
    this.resolve(this.results);
  }

  /** Takes back what is on its way. */
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
