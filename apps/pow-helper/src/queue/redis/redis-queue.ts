import { randomBytes } from 'node:crypto';
import { memoryMinuteCounter, type MinuteCounter } from '@wrkz/service-kit';
import { isFinal, type JobRecord, type JobSpec } from '../../jobs/job';
import { Waiters } from '../waiters';
import type { Cancellation, JobQueue, QueueDepth, QueueParts } from '../job-queue';
import { RedisLink, type Channel } from './redis-link';
import { RedisSearch } from './redis-search';
import { RedisStore } from './redis-store';

/** The pause between two signs of life, in milliseconds. */
const BEAT_MS = 1_000;

/**
 * The shared queue: jobs and results live in Redis, so that any of several instances can answer for any job. Each
 * instance runs one job at a time; a job whose instance dies is run again by another.
 */
export class RedisQueue implements JobQueue {
  private readonly waiters = new Waiters();
  private readonly link: RedisLink;
  private readonly store: RedisStore;
  private readonly search: RedisSearch;
  private lastDepth: QueueDepth = { waiting: 0, tracked: 0, active: undefined };
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    url: string,
    private readonly parts: QueueParts,
  ) {
    this.link = new RedisLink(url, parts.logger, {
      onAway: () => this.waiters.wakeAll(),
      onMessage: (channel, id) => this.onMessage(channel, id),
    });
    this.store = new RedisStore(this.link, parts.settings);
    this.search = new RedisSearch(parts, this.store);
  }

  async start(): Promise<void> {
    await this.link.open();
    await this.beat();
  }

  async submit(spec: JobSpec): Promise<JobRecord | undefined> {
    const id = randomBytes(16).toString('hex');
    const { accepted, made } = await this.store.submit(id, spec);
    if (made !== undefined) this.search.report({ kind: 'expired', queueWaitMs: made });
    if (!accepted) return undefined;
    return { ...spec, id, state: 'queued', hashes: 0n, elapsedMs: 0 };
  }

  get(id: string): Promise<JobRecord | undefined> {
    return this.store.read(id);
  }

  async wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined> {
    // The waiter is registered before the job is looked up, or an end in between would be missed.
    const enough = new AbortController();
    const waited = this.waiters.wait(id, ms, AbortSignal.any([signal, enough.signal]));
    try {
      const job = await this.get(id);
      if (job === undefined || isFinal(job)) return job;
      await waited;
      // Whoever has left asks no more.
      return signal.aborted ? job : await this.get(id);
    } finally {
      enough.abort();
    }
  }

  async cancel(id: string): Promise<Cancellation | undefined> {
    const found = await this.store.cancel(id);
    // The instance that runs a job reports its end.
    if (found?.cancelled === true && found.before.state === 'queued') {
      this.search.report({ kind: 'cancelled', queueWaitMs: found.before.elapsedMs });
    }
    return found;
  }

  async depth(): Promise<QueueDepth> {
    this.lastDepth = await this.store.depth().catch(() => this.lastDepth);
    return this.lastDepth;
  }

  counter(name: string): MinuteCounter {
    const local = memoryMinuteCounter(this.parts.now);
    return {
      // Counted here in any case, so that the limit goes on where it stood when Redis goes.
      hit: async (key) => {
        const here = local.hit(key);
        return this.store.count(`${name}:${key}`).catch(() => here);
      },
    };
  }

  isReachable(): Promise<boolean> {
    return this.link.isReachable();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    this.waiters.wakeAll();
    await this.search.stop();
    // Commands are answered in order: after this one so are those of everyone who waited.
    await this.link.isReachable();
    this.link.close();
  }

  /** Shows that this instance lives, learns what it may have missed, and comes again. */
  private async beat(): Promise<void> {
    const { running } = this.search;
    try {
      const beat = await this.store.beat(running, this.waiters.ids());
      for (const waitedMs of beat.givenUp) this.search.report({ kind: 'failed', queueWaitMs: waitedMs });
      for (const waitedMs of beat.expired) this.search.report({ kind: 'expired', queueWaitMs: waitedMs });
      for (const id of beat.ended) this.waiters.wake(id);
      this.search.onBeat(running?.id, beat);
      void this.search.next();
    } catch {
      this.search.onAway();
    }
    if (!this.stopping) this.timer = setTimeout(() => void this.beat(), BEAT_MS);
  }

  private onMessage(channel: Channel, id: string): void {
    if (channel === 'queued') void this.search.next();
    else this.search.end(id, channel === 'cancelled' ? 'cancelled' : 'lost');
    if (channel === 'ended') this.waiters.wake(id);
  }
}
