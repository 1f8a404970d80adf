import { randomBytes } from 'node:crypto';
import { memoryMinuteCounter, type MinuteCounter, withController } from '@wrkz/service-kit';
import { isFinal, type JobRecord, type JobSpec } from '../../job';
import { type Cancellation, type JobQueue, type QueueDependencies, type QueueDepth, Waiters } from '../job-queue';
import { RedisLink, type Channel } from './redis-link';
import { RedisSearch } from './redis-search';
import { RedisStore } from './redis-store';

const HEARTBEAT_INTERVAL_MS = 1_000;

/**
 * The queue in Redis, shared by several instances. Every instance can return every job. Each instance runs one job at a time;
 * the job of a dead instance is run by another one.
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
    private readonly dependencies: QueueDependencies,
  ) {
    this.link = new RedisLink(url, dependencies.logger, {
      onAway: () => this.waiters.wakeAll(),
      onMessage: (channel, id) => this.onMessage(channel, id),
    });
    this.store = new RedisStore(this.link, dependencies.options);
    this.search = new RedisSearch(dependencies, this.store);
  }

  async start(): Promise<void> {
    await this.link.open();
    await this.heartbeat();
  }

  async submit(spec: JobSpec): Promise<JobRecord | undefined> {
    const id = randomBytes(16).toString('hex');
    const { accepted, droppedAfterMs } = await this.store.submit(id, spec);
    if (droppedAfterMs !== undefined) this.search.report({ kind: 'expired', queueWaitMs: droppedAfterMs });
    if (!accepted) return undefined;
    return { ...spec, id, state: 'queued', hashes: 0n, elapsedMs: 0 };
  }

  get(id: string): Promise<JobRecord | undefined> {
    return this.store.read(id);
  }

  wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined> {
    return withController([signal], async (controller) => {
      // Register before the lookup: otherwise the end of the job could be missed.
      const waited = this.waiters.wait(id, ms, controller.signal);
      try {
        const job = await this.get(id);
        if (job === undefined || isFinal(job)) return job;
        await waited;
        // The request of a disconnected client does not count as a poll.
        return signal.aborted ? job : await this.get(id);
      } finally {
        controller.abort();
      }
    });
  }

  async cancel(id: string): Promise<Cancellation | undefined> {
    const found = await this.store.cancel(id);
    // The instance that runs a job reports its outcome.
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
    const local = memoryMinuteCounter(this.dependencies.now);
    return {
      // Counted locally too, so that the limit continues during an outage.
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
    // Redis responds in order, so after this response all earlier commands are complete.
    await this.link.isReachable();
    this.link.close();
  }

  /** Renews the lock of the running job, and handles ended jobs whose messages may have been lost. */
  private async heartbeat(): Promise<void> {
    const { running } = this.search;
    try {
      const heartbeat = await this.store.heartbeat(running, this.waiters.ids());
      for (const waitedMs of heartbeat.givenUp) this.search.report({ kind: 'failed', queueWaitMs: waitedMs });
      for (const waitedMs of heartbeat.expired) this.search.report({ kind: 'expired', queueWaitMs: waitedMs });
      for (const id of heartbeat.ended) this.waiters.wake(id);
      this.search.onHeartbeat(running?.id, heartbeat);
      void this.search.next();
    } catch {
      this.search.onAway();
    }
    if (!this.stopping) this.timer = setTimeout(() => void this.heartbeat(), HEARTBEAT_INTERVAL_MS);
  }

  private onMessage(channel: Channel, id: string): void {
    if (channel === 'queued') void this.search.next();
    else this.search.end(id, channel === 'cancelled' ? 'cancelled' : 'lost');
    if (channel === 'ended') this.waiters.wake(id);
  }
}
