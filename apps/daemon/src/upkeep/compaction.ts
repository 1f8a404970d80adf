import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '@wrkz/service-kit/base';
import type { ChainUpkeep } from '../chain/service';
import type { CompactionMarker } from './compaction/marker';

/** Who began a compaction, as `compact_db status` says it. */
export type CompactionCause = 'manual console request' | 'boot background task' | 'automatic periodic background task';

export interface CompactionParts {
  readonly chain: ChainUpkeep;
  readonly marker: CompactionMarker;
  /** Rewrites the whole file in a process that ends with the signal. */
  readonly rewrite: (signal: AbortSignal) => Promise<void>;
  /** Why nothing can be written now; undefined when it can. */
  readonly noRoom: () => string | undefined;
  readonly onEnd?: (result: CompactionResult) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

export interface CompactionResult {
  /** Undefined when it succeeded. */
  readonly failure: string | undefined;
  readonly freedPages: number;
  /** It was a stop that ended it, which is no failure of its own. */
  readonly interrupted: boolean;
}

export interface CompactionStatus {
  readonly running: { readonly cause: CompactionCause; readonly forced: boolean; readonly seconds: number } | undefined;
  /** An earlier compaction did not come to its end. */
  readonly marker: boolean;
  readonly last: CompactionResult | undefined;
}

/** Rest between two steps, in milliseconds: blocks and reads have at least half of the time. */
const REST = 20;

interface Run {
  readonly cause: CompactionCause;
  readonly forced: boolean;
  readonly since: number;
  freedPages: number;
}

/**
 * The compaction of the chain database, in the background. The ordinary one gives empty pages back in steps between commits and
 * cuts the log; a forced one rewrites the file while the engine rests and readers go on.
 */
export class Compaction {
  private readonly stopping = new AbortController();
  private readonly now: () => number;
  private run: Run | undefined;
  private done: Promise<void> = Promise.resolve();
  private last: CompactionResult | undefined;
  private readonly counted = { completed: 0, failed: 0 };

  constructor(private readonly parts: CompactionParts) {
    this.now = parts.now ?? (() => performance.now());
  }

  /** @returns false when one runs already, or the node stops */
  start(cause: CompactionCause, forced = false): boolean {
    if (this.run !== undefined || this.stopping.signal.aborted) return false;
    this.run = { cause, forced, since: this.now(), freedPages: 0 };
    this.done = this.work(this.run);
    return true;
  }

  get isRunning(): boolean {
    return this.run !== undefined;
  }

  /** How many have ended, and how. */
  get counts(): { readonly completed: number; readonly failed: number } {
    return this.counted;
  }

  status(): CompactionStatus {
    const { run, last, parts } = this;
    const running =
      run === undefined
        ? undefined
        : { cause: run.cause, forced: run.forced, seconds: Math.floor((this.now() - run.since) / 1000) };
    return { running, marker: parts.marker.isThere, last };
  }

  /** Resolves when none runs. */
  wait(): Promise<void> {
    return this.done;
  }

  /** Ends what runs, at once; its marker stays. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('interrupted by the stop of the node'));
    await this.done;
  }

  private async work(run: Run): Promise<void> {
    let failure: string | undefined;
    try {
      this.parts.marker.put();
      if (run.forced) await this.rewrite();
      await this.giveBack(run);
      this.parts.marker.remove();
    } catch (error) {
      failure = errorText(error);
    }
    const interrupted = this.stopping.signal.aborted;
    this.run = undefined;
    this.counted[failure === undefined ? 'completed' : 'failed'] += 1;
    this.last = { failure, freedPages: run.freedPages, interrupted };
    this.parts.onEnd?.(this.last);
  }

  private async giveBack(run: Run): Promise<void> {
    const { chain, noRoom } = this.parts;
    const { signal } = this.stopping;
    for (;;) {
      signal.throwIfAborted();
      const why = noRoom();
      if (why !== undefined) throw new Error(why);
      const { done, freedPages } = await chain.compactStep();
      run.freedPages += freedPages;
      if (done) break;
      await pause(REST, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    await chain.cutLog();
  }

  private async rewrite(): Promise<void> {
    const { chain, rewrite } = this.parts;
    await chain.hold();
    try {
      await rewrite(this.stopping.signal);
    } finally {
      // An engine that has ended holds nothing.
      await chain.release().catch(() => undefined);
    }
  }
}
