import { randomBytes } from 'node:crypto';
import { errorText, type Logger, type MinuteCounter } from '@wrkz/service-kit';
import { Queue, QueueEvents, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { FAILURES, isFinal, type JobRecord, type JobSpec } from '../../jobs/job';
import type { Solver } from '../../jobs/solver';
import type { JobQueue, OnOutcome, Outcome, QueueDepth, QueueSettings } from '../job-queue';
import { readRecord, toData, type PowJob, type PowJobData, type PowJobResult } from './redis-job';
import { CANCEL_CHANNEL, CANCELLED, QUEUE_NAME, RedisMarks } from './redis-marks';
import { Waiters } from '../waiters';

/** A job is taken up by another instance when its own has not told of itself for so long. */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
/** How often a job may lose its instance before it counts as failed. */
const MAX_STALLS = 100;
const PROGRESS_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

interface Running {
  readonly id: string;
  readonly abort: AbortController;
  cancelled: boolean;
}

/**
 * The shared queue: jobs and results live in Redis, so that any of several instances answers for any job. Each
 * instance runs one job at a time; one whose instance dies is taken up again by another.
 */
export class RedisQueue implements JobQueue {
  readonly #waiters = new Waiters();
  readonly #connections: Redis[] = [];
  #marks!: RedisMarks;
  #queue!: Queue<PowJobData, PowJobResult>;
  #events!: QueueEvents;
  #worker!: Worker<PowJobData, PowJobResult>;
  #running: Running | undefined;
  #stopping = false;

  constructor(
    private readonly url: string,
    private readonly settings: QueueSettings,
    private readonly threads: number,
    private readonly solver: Solver,
    private readonly onOutcome: OnOutcome,
    private readonly logger: Logger,
  ) {}

  /** @throws Error with a message for the operator when Redis cannot be reached */
  async start(): Promise<void> {
    const commands = this.#connect();
    await reach(commands, this.url);
    this.#marks = new RedisMarks(commands, this.settings.resultTtlMs);
    this.#queue = new Queue(QUEUE_NAME, { connection: commands });
    this.#events = new QueueEvents(QUEUE_NAME, { connection: this.#connect() });
    this.#worker = new Worker<PowJobData, PowJobResult>(QUEUE_NAME, (job, token) => this.#process(job, token), {
      connection: this.#connect(),
      autorun: false,
      concurrency: 1,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLS,
      removeOnComplete: { age: Math.ceil(this.settings.resultTtlMs / 1000) },
      removeOnFail: { age: Math.ceil(this.settings.resultTtlMs / 1000) },
    });
    this.#queue.on('error', (error) => this.#trouble(error));
    this.#events.on('error', (error) => this.#trouble(error));
    this.#worker.on('error', (error) => this.#trouble(error));
    this.#events.on('completed', ({ jobId }) => this.#waiters.wake(jobId));
    this.#events.on('failed', ({ jobId }) => this.#waiters.wake(jobId));
    await Promise.all([this.#queue.waitUntilReady(), this.#events.waitUntilReady(), this.#worker.waitUntilReady()]);
    const subscriber = this.#connect();
    await subscriber.subscribe(CANCEL_CHANNEL);
    subscriber.on('message', (_channel, id: string) => this.#onCancelled(id));
    this.#worker.run().catch((error: Error) => this.#trouble(error));
  }

  async submit(spec: JobSpec): Promise<JobRecord | undefined> {
    const id = randomBytes(16).toString('hex');
    if (!(await this.#marks.reserve(this.#queue.toKey('wait'), id, this.settings.capacity))) return undefined;
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
    const expired = record.finishedAt !== undefined && Date.now() - record.finishedAt > this.settings.resultTtlMs;
    return expired ? undefined : record;
  }

  async wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined> {
    // Whoever waits is registered before the job is looked at, or an end in between would be missed.
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
      this.onOutcome({ kind: 'cancelled', hashes: 0n, solveMs: 0, queueWaitMs: Date.now() - record.submittedAt });
    }
    // A running job stops on whichever instance has it; on all of them who waits for it is answered.
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
    this.#running?.abort.abort();
    await this.#worker?.close();
    await Promise.all([this.#queue?.close(), this.#events?.close()]);
    for (const connection of this.#connections) connection.disconnect();
  }

  async #process(job: PowJob, token: string | undefined): Promise<PowJobResult> {
    const startedAt = Date.now();
    const queueWaitMs = startedAt - job.timestamp;
    const running: Running = { id: String(job.id), abort: new AbortController(), cancelled: false };
    let hashes = 0n;
    const ended = (kind: Outcome['kind']): void =>
      this.onOutcome({ kind, hashes, solveMs: Date.now() - startedAt, queueWaitMs });
    if (queueWaitMs > this.settings.jobTimeoutMs && job.attemptsStarted <= 1) {
      ended('expired');
      throw new UnrecoverableError(FAILURES.expired);
    }
    this.#running = running;
    try {
      if (await this.#marks.isCancelled(running.id)) this.#onCancelled(running.id);
      if (this.#stopping) running.abort.abort();
      const report = throttle(PROGRESS_MS, () => {
        job.updateProgress({ hashes: hashes.toString() }).catch((error: Error) => this.#trouble(error));
      });
      const solution = await this.solver(
        { ...job.data, prefix: Buffer.from(job.data.prefix, 'hex'), difficulty: BigInt(job.data.difficulty) },
        {
          threads: this.threads,
          signal: running.abort.signal,
          onProgress: (done) => {
            hashes = done;
            report();
          },
        },
      );
      hashes = solution.hashes;
      ended('done');
      return { nonce: solution.nonce.toString('hex'), hashes: hashes.toString() };
    } catch (error) {
      if (running.cancelled) {
        ended('cancelled');
        throw new UnrecoverableError(CANCELLED);
      }
      if (this.#stopping) {
        // Given back unfinished: another instance takes it up.
        await job.moveToWait(token);
        throw new WaitingError();
      }
      this.logger.error(`a search failed: ${errorText(error)}`);
      ended('failed');
      throw new UnrecoverableError(FAILURES.internal);
    } finally {
      this.#running = undefined;
    }
  }

  #onCancelled(id: string): void {
    if (this.#running?.id === id) {
      this.#running.cancelled = true;
      this.#running.abort.abort();
    }
    this.#waiters.wake(id);
  }

  #connect(): Redis {
    const connection = new Redis(this.url, {
      lazyConnect: this.#connections.length === 0,
      maxRetriesPerRequest: null,
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
    connection.on('error', (error: Error) => this.#trouble(error));
    this.#connections.push(connection);
    return connection;
  }

  #trouble(error: Error): void {
    if (!this.#stopping) this.logger.warning(`the queue in Redis: ${errorText(error)}`);
  }
}

async function reach(connection: Redis, url: string): Promise<void> {
  try {
    await connection.connect();
  } catch (error) {
    connection.disconnect();
    throw new Error(`cannot reach the queue at ${redactUrl(url)}: ${errorText(error)}`);
  }
}

/** The URL without user and password. */
function redactUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/** Lets a call through at most once in `ms`. */
function throttle(ms: number, call: () => void): () => void {
  let last = 0;
  return () => {
    const now = Date.now();
    if (now - last < ms) return;
    last = now;
    call();
  };
}
