import { randomBytes } from 'node:crypto';
import { errorText, type MinuteCounter } from '@wrkz/service-kit';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { isFinal, type JobRecord, type JobSpec } from '../../jobs/job';
import type { JobQueue, QueueDepth, QueueParts } from '../job-queue';
import { RedisConnections } from './redis-connections';
import { readRecord, toData, type RedisJobData, type RedisJobResult } from './redis-job';
import { CANCEL_CHANNEL, QUEUE_NAME, RedisMarks } from './redis-marks';
import { RedisSearch } from './redis-search';
import { Waiters } from '../waiters';

/** A job goes to another instance when its own has not renewed the lock for so long. */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
/** How often a job may lose its instance before it counts as failed. */
const MAX_STALLS = 100;

/**
 * The shared queue: jobs and results live in Redis, so that any of several instances can answer for any job. Each
 * instance runs one job at a time; a job whose instance dies is run again by another.
 */
export class RedisQueue implements JobQueue {
  readonly #waiters = new Waiters();
  readonly #connections: RedisConnections;
  #marks!: RedisMarks;
  #queue!: Queue<RedisJobData, RedisJobResult>;
  #events!: QueueEvents;
  #worker!: Worker<RedisJobData, RedisJobResult>;
  #search!: RedisSearch;
  #stopping = false;

  constructor(
    url: string,
    private readonly parts: QueueParts,
  ) {
    this.#connections = new RedisConnections(url, this.#onError);
  }

  async start(): Promise<void> {
    const { resultTtlMs } = this.parts.settings;
    const resultSeconds = Math.ceil(resultTtlMs / 1000);
    const commands = await this.#connections.reach();
    const marks = new RedisMarks(commands, resultTtlMs);
    const search = new RedisSearch(this.parts, marks, this.#onError);
    this.#marks = marks;
    this.#search = search;
    this.#queue = new Queue(QUEUE_NAME, { connection: commands });
    this.#events = new QueueEvents(QUEUE_NAME, { connection: this.#connections.open() });
    this.#worker = new Worker<RedisJobData, RedisJobResult>(QUEUE_NAME, (job, token) => search.run(job, token), {
      connection: this.#connections.open(),
      autorun: false,
      concurrency: 1,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLS,
      removeOnComplete: { age: resultSeconds },
      removeOnFail: { age: resultSeconds },
    });
    this.#queue.on('error', this.#onError);
    this.#events.on('error', this.#onError);
    this.#worker.on('error', this.#onError);
    this.#events.on('completed', ({ jobId }) => this.#waiters.wake(jobId));
    this.#events.on('failed', ({ jobId }) => this.#waiters.wake(jobId));
    await Promise.all([this.#queue.waitUntilReady(), this.#events.waitUntilReady(), this.#worker.waitUntilReady()]);
    const subscriber = this.#connections.open();
    await subscriber.subscribe(CANCEL_CHANNEL);
    subscriber.on('message', (_channel, id: string) => this.#onCancelled(id));
    this.#worker.run().catch(this.#onError);
  }

  async submit(spec: JobSpec): Promise<JobRecord | undefined> {
    const id = randomBytes(16).toString('hex');
    if (!(await this.#marks.reserve(this.#queue.toKey('wait'), id, this.parts.settings.capacity))) return undefined;
    try {
      const job = await this.#queue.add('pow', toData(spec), { jobId: id });
      return await readRecord(job);
    } finally {
      await this.#marks.release(id);
    }
  }

  async get(id: string): Promise<JobRecord | undefined> {
    const job = await this.#queue.getJob(id);
    const record = job && (await readRecord(job));
    if (record === undefined) return this.#marks.cancelled(id);
    const expired = record.finishedAt !== undefined && Date.now() - record.finishedAt > this.parts.settings.resultTtlMs;
    return expired ? undefined : record;
  }

  async wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined> {
    // The waiter is registered before the job is looked up, or an end in between would be missed.
    const enough = new AbortController();
    const waited = this.#waiters.wait(id, ms, AbortSignal.any([signal, enough.signal]));
    const job = await this.get(id);
    if (job === undefined || isFinal(job.state)) enough.abort();
    await waited;
    return job === undefined || isFinal(job.state) ? job : this.get(id);
  }

  async cancel(id: string): Promise<{ cancelled: boolean; job: JobRecord } | undefined> {
    const record = await this.get(id);
    if (record === undefined) return undefined;
    if (isFinal(record.state)) return { cancelled: false, job: record };
    const job = await this.#queue.getJob(id);
    const removed =
      job === undefined
        ? false
        : await job.remove().then(
            () => true,
            () => false,
          );
    if (removed) {
      await this.#marks.rememberCancelled({ ...record, state: 'cancelled', finishedAt: Date.now() });
      this.parts.onOutcome({ kind: 'cancelled', hashes: 0n, solveMs: 0, queueWaitMs: Date.now() - record.submittedAt });
    }
    // A running job stops on the instance that has it; all instances answer whoever waits for it.
    await this.#marks.announceCancel(id);
    return { cancelled: true, job: record };
  }

  async depth(): Promise<QueueDepth> {
    const counts = await this.#queue.getJobCounts('waiting', 'active', 'completed', 'failed');
    const [job] = await this.#queue.getActive(0, 0);
    const record = job && (await readRecord(job));
    const active = record && {
      difficulty: record.difficulty,
      inputs: record.inputs,
      outputs: record.outputs,
      hashes: record.hashes,
      runningMs: Date.now() - (job.processedOn ?? Date.now()),
    };
    const tracked = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { waiting: counts['waiting'] ?? 0, tracked, active };
  }

  counter(name: string): MinuteCounter {
    return { hit: (key) => this.#marks.countMinute(`${name}:${key}`) };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#waiters.wakeAll();
    this.#search?.stop();
    await this.#worker?.close();
    await Promise.all([this.#queue?.close(), this.#events?.close()]);
    this.#connections.closeAll();
  }

  /** Answers whoever waits here for a job that was cancelled anywhere, and ends its search if it runs here. */
  #onCancelled(id: string): void {
    this.#search.cancel(id);
    this.#waiters.wake(id);
  }

  readonly #onError = (error: Error): void => {
    if (!this.#stopping) this.parts.logger.warning(`the queue in Redis: ${errorText(error)}`);
  };
}
