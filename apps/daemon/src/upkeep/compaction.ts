import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainReader } from '@wrkz/chain-db';
import { errorText } from '@wrkz/service-kit/base';
import type { Logger } from '@wrkz/service-kit';
import type { ChainUpkeep, TipFacts } from '../chain/service';
import type { DaemonOptions } from '../config/config';

/** Trigger of a compaction, as printed by `compact_db status`. */
export type CompactionCause = 'manual console request' | 'boot background task' | 'automatic periodic background task';

export interface CompactionDependencies {
  readonly chain: ChainUpkeep & { tip(): Pick<TipFacts, 'height'> };
  readonly reader: Pick<ChainReader, 'fileSpace'>;
  /** The reason why the disk has no space for the write-ahead log of one slice; undefined if it has. */
  readonly diskShortage: () => string | undefined;
  readonly logger: Pick<Logger, 'info' | 'warning'>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

export interface CompactionRun {
  readonly cause: CompactionCause;
  readonly forced: boolean;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  freedPages: number;
}

/** Pause between two slices, so that blocks get at least half of the writer's time. */
const SLICE_PAUSE_MS = 20;
/** Max attempts: a reader with an old snapshot delays the checkpoint that truncates the file. */
const CHECKPOINT_ATTEMPTS = 20;
const CHECKPOINT_PAUSE_MS = 250;
const LOG_INTERVAL_MS = 30_000;
const SCHEDULE_INTERVAL_MS = 60_000;
const MIN_GAP_MS = 30 * 60_000;

/**
 * Returns free pages of the chain database to the file system (`PRAGMA incremental_vacuum`), in slices that the chain writer
 * runs between its other jobs. Each slice is one transaction, so no state has to be resumed after a stop or a kill: the next
 * compaction continues with the remaining free pages. The checkpoint at the end truncates the file.
 */
export class Compaction {
  private readonly stopping = new AbortController();
  private readonly now: () => number;
  private current: CompactionRun | undefined;
  private done: Promise<void> = Promise.resolve();
  private lastEnd: { readonly at: number; readonly height: number };
  /** The error of the last compaction; undefined if it completed or none has ended. */
  failure: string | undefined;
  /** Compactions that ended, by result. */
  readonly counts = { completed: 0, failed: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: Pick<DaemonOptions, 'skip-boot-compaction' | 'auto-compaction-min-gap-blocks'>,
    private readonly dependencies: CompactionDependencies,
  ) {
    this.now = dependencies.now ?? (() => performance.now());
    this.lastEnd = { at: this.now(), height: dependencies.chain.tip().height };
  }

  /** Starts the compaction at startup and the periodic ones, according to the options. */
  enable(): void {
    if (!this.options['skip-boot-compaction']) this.start('boot background task');
    if (this.options['auto-compaction-min-gap-blocks'] === 0) return;
    this.timer = setInterval(() => {
      if (this.isDue()) this.start('automatic periodic background task');
    }, SCHEDULE_INTERVAL_MS).unref();
  }

  /** @returns false if a compaction is running or the node is stopping */
  start(cause: CompactionCause, forced = false): boolean {
    if (this.current !== undefined || this.stopping.signal.aborted) return false;
    this.current = { cause, forced, startedAt: this.now(), freedPages: 0 };
    this.done = this.run(this.current);
    return true;
  }

  get isRunning(): boolean {
    return this.current !== undefined;
  }

  get running(): { readonly run: Readonly<CompactionRun>; readonly seconds: number } | undefined {
    const { current: run } = this;
    return run && { run, seconds: Math.floor((this.now() - run.startedAt) / 1000) };
  }

  /** Resolves when no compaction is running. */
  wait(): Promise<void> {
    return this.done;
  }

  /** Aborts the running compaction after its slice, and refuses later ones. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort(new Error('interrupted because the node stops'));
    await this.done;
  }

  private isDue(): boolean {
    const gap = this.dependencies.chain.tip().height - this.lastEnd.height;
    return gap >= this.options['auto-compaction-min-gap-blocks'] && this.now() - this.lastEnd.at >= MIN_GAP_MS;
  }

  private async run(run: CompactionRun): Promise<void> {
    const { chain, logger } = this.dependencies;
    this.failure = undefined;
    try {
      await this.vacuum(run);
      await this.checkpoint();
      logger.info('the database was compacted', { freedPages: run.freedPages });
    } catch (error) {
      this.failure = errorText(error);
      if (this.stopping.signal.aborted) logger.info(`the compaction of the database was ${this.failure}`);
      else logger.warning(`the compaction of the database failed: ${this.failure}`);
    }
    this.counts[this.failure === undefined ? 'completed' : 'failed'] += 1;
    this.lastEnd = { at: this.now(), height: chain.tip().height };
    this.current = undefined;
  }

  private async vacuum(run: CompactionRun): Promise<void> {
    const { chain, reader, diskShortage, logger } = this.dependencies;
    let loggedAt = run.startedAt;
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const shortage = diskShortage();
      if (shortage !== undefined) throw new Error(shortage);
      const { done, freedPages } = await chain.compactStep();
      run.freedPages += freedPages;
      if (done) return;
      if (this.now() - loggedAt >= LOG_INTERVAL_MS) {
        loggedAt = this.now();
        const freePages = reader.fileSpace().emptyPages;
        logger.info('compacting the database', { freedPages: run.freedPages, freePages });
      }
      await this.pause(SLICE_PAUSE_MS);
    }
  }

  /** Copies the write-ahead log into the file, which is only then truncated. */
  private async checkpoint(): Promise<void> {
    for (let attempt = 1; !(await this.dependencies.chain.cutLog()); attempt++) {
      if (attempt === CHECKPOINT_ATTEMPTS) {
        const text = 'a reader holds the write-ahead log: the database file shrinks with a later checkpoint';
        return this.dependencies.logger.info(text);
      }
      await this.pause(CHECKPOINT_PAUSE_MS);
    }
  }

  private async pause(milliseconds: number): Promise<void> {
    const { signal } = this.stopping;
    await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
