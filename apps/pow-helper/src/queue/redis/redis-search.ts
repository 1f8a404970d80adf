import { randomBytes } from 'node:crypto';
import { errorText } from '@wrkz/service-kit';
import { FAILURES } from '../../jobs/job';
import type { Solution } from '../../jobs/solver';
import type { Outcome, QueueParts } from '../job-queue';
import { LOCK_MS, type Beat, type RedisStore, type TakenJob } from './redis-store';

interface Search {
  readonly job: TakenJob;
  readonly abort: AbortController;
  readonly startedAt: number;
  /** When its lock was last known to be held. */
  heldAt: number;
  hashes: bigint;
  /** Why it was aborted. */
  reason?: 'cancelled' | 'lost' | 'stopping';
}

/** The searches of one instance: at most one at a time, of the job that the queue in Redis hands to it. */
export class RedisSearch {
  private current: Search | undefined;
  private ended: Promise<void> = Promise.resolve();
  private taking: Promise<void> | undefined;
  /** Something was queued while a job was being taken. */
  private isAgain = false;
  private stopping = false;
  /** A result that Redis was not there to take. Nothing else is searched before it is stored. */
  private unsaved: { readonly search: Search; readonly solution: Solution } | undefined;
  /** A job whose search ended while Redis was away. */
  private unreturned: TakenJob | undefined;

  constructor(
    private readonly parts: QueueParts,
    private readonly store: RedisStore,
  ) {}

  /** What a sign of life is to renew. */
  get running(): { readonly id: string; readonly token: string; readonly hashes: bigint } | undefined {
    return this.current && { ...this.current.job, hashes: this.current.hashes };
  }

  /** Takes the job whose turn it is, unless one runs. */
  async next(): Promise<void> {
    if (this.taking !== undefined) {
      this.isAgain = true;
      return this.taking;
    }
    if (this.stopping || this.current !== undefined) return;
    this.isAgain = false;
    // Redis may be away; the sign of life that finds it back comes here again.
    this.taking = this.take().catch(() => undefined);
    await this.taking;
    this.taking = undefined;
    if (this.isAgain) await this.next();
  }

  /** Takes note of a sign of life for `id`: a lock that is lost ends its search. */
  onBeat(id: string | undefined, { held }: Pick<Beat, 'held'>): void {
    const search = this.current;
    if (search === undefined || search.job.id !== id || held === '') return;
    if (held === 'held') search.heldAt = performance.now();
    else this.abort(search, held);
  }

  /** Takes note that no sign of life came through: what nobody renews for long belongs to another instance. */
  onAway(): void {
    const search = this.current;
    if (search !== undefined && performance.now() - search.heldAt > LOCK_MS) this.abort(search, 'lost');
  }

  /** Ends the search of a job if it runs here. */
  end(id: string, reason: 'cancelled' | 'lost'): void {
    if (this.current?.job.id === id) this.abort(this.current, reason);
  }

  /** Ends the running search and gives its job back. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.taking;
    if (this.current !== undefined) this.abort(this.current, 'stopping');
    await this.ended;
    await this.settle().catch(() => undefined);
  }

  report(outcome: Pick<Outcome, 'kind' | 'queueWaitMs'> & Partial<Outcome>): void {
    this.parts.onOutcome({ hashes: 0n, solveMs: 0, ...outcome });
  }

  private async take(): Promise<void> {
    await this.settle();
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
      const solution = await this.parts.solver(job.spec, {
        threads: this.parts.threads,
        signal: abort.signal,
        onProgress: (hashes) => (search.hashes = hashes),
      });
      search.hashes = solution.hashes;
      this.unsaved = { search, solution };
      await this.settle().catch(() => undefined);
    } catch (error) {
      await this.onFailure(search, error).catch(() => (this.unreturned = job));
    }
  }

  /** @throws PowRefusal when Redis is away */
  private async onFailure(search: Search, error: unknown): Promise<void> {
    const { job, reason } = search;
    if (reason === 'cancelled') return this.reportOutcome(search, 'cancelled');
    // Redis may have been away for long; then the job is still marked as one that runs here.
    if (reason !== undefined) return this.store.giveBack(job);
    this.parts.logger.error(`a search failed: ${errorText(error)}`);
    this.reportOutcome(search, 'failed');
    await this.store.fail(job, FAILURES.internal);
  }

  /**
   * Brings to Redis what it was not there to take.
   * @throws PowRefusal when it is still away
   */
  private async settle(): Promise<void> {
    if (this.unsaved !== undefined) {
      const { search, solution } = this.unsaved;
      const isTaken = await this.store.complete(search.job.id, solution);
      this.unsaved = undefined;
      if (isTaken) this.reportOutcome(search, 'done');
    }
    if (this.unreturned !== undefined) {
      await this.store.giveBack(this.unreturned);
      this.unreturned = undefined;
    }
  }

  private reportOutcome({ job, hashes, startedAt }: Search, kind: Outcome['kind']): void {
    const solveMs = Math.round(performance.now() - startedAt);
    this.parts.onOutcome({ kind, hashes, solveMs, queueWaitMs: job.waitedMs });
  }
}
