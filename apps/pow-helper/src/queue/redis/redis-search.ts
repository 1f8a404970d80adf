import { randomBytes } from 'node:crypto';
import { errorText } from '@wrkz/service-kit';
import { FAILURES, type Solution } from '../../job';
import type { Outcome, QueueDependencies } from '../job-queue';
import { type Heartbeat, LOCK_MS, type RedisStore, type TakenJob } from './redis-store';

interface Search {
  readonly job: TakenJob;
  readonly abort: AbortController;
  readonly startedAt: number;
  /** Time of the last confirmation of the lock, monotonic milliseconds. */
  heldAt: number;
  hashes: bigint;
  reason?: 'cancelled' | 'lost' | 'stopping';
}

/** The nonce search of one instance: at most one at a time, for the job that Redis assigned to it. */
export class RedisSearch {
  private current: Search | undefined;
  private ended: Promise<void> = Promise.resolve();
  private taking: Promise<void> | undefined;
  /** Whether a job was queued during `take`. */
  private isRetryNeeded = false;
  private stopping = false;
  /** A result that could not be stored yet. No other job starts before it is stored. */
  private unsaved: { readonly search: Search; readonly solution: Solution } | undefined;
  /** A job that could not be returned to the queue yet. */
  private unreturned: TakenJob | undefined;

  constructor(
    private readonly dependencies: QueueDependencies,
    private readonly store: RedisStore,
  ) {}

  /** The job whose lock a heartbeat renews. */
  get running(): { readonly id: string; readonly token: string; readonly hashes: bigint } | undefined {
    return this.current && { ...this.current.job, hashes: this.current.hashes };
  }

  /** Takes the next job if none is running. */
  async next(): Promise<void> {
    if (this.taking !== undefined) {
      this.isRetryNeeded = true;
      return this.taking;
    }
    if (this.stopping || this.current !== undefined) return;
    this.isRetryNeeded = false;
    // If Redis is unreachable, the heartbeat that ends the outage calls this again.
    this.taking = this.take().catch(() => undefined);
    await this.taking;
    this.taking = undefined;
    if (this.isRetryNeeded) await this.next();
  }

  /** Handles the result of a heartbeat: a lost lock aborts the search. */
  onHeartbeat(id: string | undefined, { held }: Pick<Heartbeat, 'held'>): void {
    const search = this.current;
    if (search === undefined || search.job.id !== id || held === '') return;
    if (held === 'held') search.heldAt = performance.now();
    else this.abort(search, held);
  }

  /** Handles a failed heartbeat: after the lock timeout another instance may have the job. */
  onAway(): void {
    const search = this.current;
    if (search !== undefined && performance.now() - search.heldAt > LOCK_MS) this.abort(search, 'lost');
  }

  /** Aborts the search for a job if it runs in this instance. */
  end(id: string, reason: 'cancelled' | 'lost'): void {
    if (this.current?.job.id === id) this.abort(this.current, reason);
  }

  /** Aborts the running search and returns its job to the queue. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.taking;
    if (this.current !== undefined) this.abort(this.current, 'stopping');
    await this.ended;
    await this.storePending().catch(() => undefined);
  }

  report(outcome: Pick<Outcome, 'kind' | 'queueWaitMs'> & Partial<Outcome>): void {
    this.dependencies.onOutcome({ hashes: 0n, solveMs: 0, ...outcome });
  }

  private async take(): Promise<void> {
    await this.storePending();
    const { job, expired } = await this.store.take(randomBytes(8).toString('hex'));
    for (const waitedMs of expired) this.report({ kind: 'expired', queueWaitMs: waitedMs });
    if (job !== undefined) this.begin(job);
  }

  private abort(search: Search, reason: NonNullable<Search['reason']>): void {
    search.reason ??= reason;
    search.abort.abort();
  }

  private begin(job: TakenJob): void {
    const now = performance.now();
    const search: Search = { job, abort: new AbortController(), startedAt: now, heldAt: now, hashes: 0n };
    this.current = search;
    this.ended = this.run(search).then(() => {
      this.current = undefined;
      void this.next();
    });
  }

  private async run(search: Search): Promise<void> {
    const { job, abort } = search;
    try {
      const solution = await this.dependencies.solver(job.spec, {
        threads: this.dependencies.threads,
        signal: abort.signal,
        onProgress: (hashes) => (search.hashes = hashes),
      });
      search.hashes = solution.hashes;
      this.unsaved = { search, solution };
      await this.storePending().catch(() => undefined);
    } catch (error) {
      await this.onFailure(search, error).catch(() => (this.unreturned = job));
    }
  }

  /** @throws PowRefusal if Redis is unreachable */
  private async onFailure(search: Search, error: unknown): Promise<void> {
    const { job, reason } = search;
    if (reason === 'cancelled') return this.reportOutcome(search, 'cancelled');
    // After a long outage Redis may still have the job as running in this instance.
    if (reason !== undefined) return this.store.returnJob(job);
    this.dependencies.logger.error(`a search failed: ${errorText(error)}`);
    this.reportOutcome(search, 'failed');
    await this.store.fail(job, FAILURES.internal);
  }

  /**
   * Stores the result and returns the job that an outage held back.
   * @throws PowRefusal if Redis is still unreachable
   */
  private async storePending(): Promise<void> {
    if (this.unsaved !== undefined) {
      const { search, solution } = this.unsaved;
      const isStored = await this.store.complete(search.job.id, solution);
      this.unsaved = undefined;
      if (isStored) this.reportOutcome(search, 'done');
    }
    if (this.unreturned !== undefined) {
      await this.store.returnJob(this.unreturned);
      this.unreturned = undefined;
    }
  }

  private reportOutcome({ job, hashes, startedAt }: Search, kind: Outcome['kind']): void {
    const solveMs = Math.round(performance.now() - startedAt);
    this.dependencies.onOutcome({ kind, hashes, solveMs, queueWaitMs: job.waitedMs });
  }
}
