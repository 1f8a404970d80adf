import { randomBytes } from 'node:crypto';
import { errorText, memoryMinuteCounter, type MinuteCounter } from '@wrkz/service-kit';
import { FAILURES, isFinal, type JobEnd, type JobPhase, type JobRecord, type JobSpec } from '../job';
import {
  type Cancellation,
  firstAbandoned,
  type JobQueue,
  nextJob,
  type Outcome,
  type QueueDependencies,
  type QueueDepth,
  Waiters,
} from './job-queue';

/** Times are monotonic milliseconds. */
interface MemoryJob {
  readonly id: string;
  /** The prefix is dropped when the job has ended. */
  spec: JobSpec;
  readonly abort: AbortController;
  readonly submittedAt: number;
  /** Timer of the job timeout. */
  readonly expiry: NodeJS.Timeout;
  phase: JobPhase;
  hashes: bigint;
  polledAt: number;
  startedAt?: number;
  finishedAt?: number;
}

/** The queue in memory: runs one job at a time. */
export class MemoryQueue implements JobQueue {
  private readonly jobs = new Map<string, MemoryJob>();
  /** In FIFO order. */
  private readonly queued: MemoryJob[] = [];
  private readonly waiters = new Waiters();
  private active: MemoryJob | undefined;
  private stopped = false;

  constructor(private readonly dependencies: QueueDependencies) {}

  async start(): Promise<void> {}

  async submit(spec: JobSpec): Promise<JobRecord | undefined> {
    if (!this.hasRoom()) return undefined;
    const now = this.dependencies.elapsed();
    const job: MemoryJob = {
      expiry: setTimeout(() => this.expire(job), this.dependencies.options.jobTimeoutMs).unref(),
      id: randomBytes(16).toString('hex'),
      spec,
      abort: new AbortController(),
      submittedAt: now,
      phase: { state: 'queued' },
      hashes: 0n,
      polledAt: now,
    };
    this.jobs.set(job.id, job);
    this.queued.push(job);
    this.next();
    return this.record(job);
  }

  async get(id: string): Promise<JobRecord | undefined> {
    const job = this.polled(id);
    return job && this.record(job);
  }

  async wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined> {
    const job = this.polled(id);
    if (job === undefined) return undefined;
    if (!isFinal(job.phase)) {
      await this.waiters.wait(id, ms, signal);
      job.polledAt = this.dependencies.elapsed();
    }
    return this.record(job);
  }

  async cancel(id: string): Promise<Cancellation | undefined> {
    const job = this.stored(id);
    if (job === undefined) return undefined;
    if (isFinal(job.phase)) return { cancelled: false, job: this.record(job) };
    const index = this.queued.indexOf(job);
    if (index >= 0) {
      this.queued.splice(index, 1);
      this.finish(job, { state: 'cancelled' }, 'cancelled');
    } else {
      job.abort.abort();
    }
    return { cancelled: true };
  }

  async depth(): Promise<QueueDepth> {
    const job = this.active;
    const now = this.dependencies.elapsed();
    const active = job && {
      difficulty: job.spec.difficulty,
      inputs: job.spec.inputs,
      outputs: job.spec.outputs,
      hashes: job.hashes,
      runningMs: now - (job.startedAt ?? now),
    };
    return { waiting: this.queued.length, tracked: this.jobs.size, active };
  }

  counter(): MinuteCounter {
    return memoryMinuteCounter(this.dependencies.now);
  }

  async isReachable(): Promise<boolean> {
    return true;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const job of this.queued.splice(0)) this.fail(job, FAILURES.shutdown, 'failed');
    this.active?.abort.abort();
    this.waiters.wakeAll();
  }

  private record({ id, spec, phase, hashes, submittedAt, finishedAt }: MemoryJob): JobRecord {
    const { difficulty, inputs, outputs } = spec;
    const elapsedMs = Math.round((finishedAt ?? this.dependencies.elapsed()) - submittedAt);
    return { ...phase, id, difficulty, inputs, outputs, hashes, elapsedMs };
  }

  /** A job whose TTL has not expired. Checked here, because the timer that removes it may be late. */
  private stored(id: string): MemoryJob | undefined {
    const job = this.jobs.get(id);
    const { resultTtlMs } = this.dependencies.options;
    const isExpired = job?.finishedAt !== undefined && this.dependencies.elapsed() - job.finishedAt > resultTtlMs;
    return isExpired ? undefined : job;
  }

  private polled(id: string): MemoryJob | undefined {
    const job = this.stored(id);
    if (job !== undefined) job.polledAt = this.dependencies.elapsed();
    return job;
  }

  private readonly isPolled = ({ id, polledAt }: MemoryJob): boolean =>
    this.waiters.has(id) || this.dependencies.elapsed() - polledAt <= this.dependencies.options.pollTimeoutMs;

  /** Whether a job can be added. A full queue drops an abandoned job. */
  private hasRoom(): boolean {
    if (this.queued.length < this.dependencies.options.capacity) return true;
    const abandoned = firstAbandoned(this.queued, this.isPolled);
    if (abandoned === undefined) return false;
    this.expire(abandoned);
    return true;
  }

  /** Expires a job. Does nothing if the job is not queued. */
  private expire(job: MemoryJob): void {
    if (!this.queued.includes(job)) return;
    this.dequeue(job);
    this.fail(job, FAILURES.expired, 'expired');
  }

  private dequeue(job: MemoryJob): void {
    this.queued.splice(this.queued.indexOf(job), 1);
  }

  /** Starts the next job if none runs. Drops expired jobs. */
  private next(): void {
    while (this.active === undefined && !this.stopped) {
      const job = nextJob(this.queued, this.isPolled);
      if (job === undefined) return;
      if (this.dependencies.elapsed() - job.submittedAt > this.dependencies.options.jobTimeoutMs) {
        // Expired, but its timer has not fired yet.
        this.expire(job);
        continue;
      }
      this.dequeue(job);
      this.active = job;
      void this.run(job);
    }
  }

  private async run(job: MemoryJob): Promise<void> {
    job.phase = { state: 'running' };
    job.startedAt = this.dependencies.elapsed();
    try {
      const { nonce, hashes } = await this.dependencies.solver(job.spec, {
        threads: this.dependencies.threads,
        signal: job.abort.signal,
        onProgress: (done) => {
          job.hashes = done;
        },
      });
      job.hashes = hashes;
      this.finish(job, { state: 'done', nonce }, 'done');
    } catch (error) {
      if (!job.abort.signal.aborted) {
        this.dependencies.logger.error(`a search failed: ${errorText(error)}`);
        this.fail(job, FAILURES.internal, 'failed');
      } else if (this.stopped) this.fail(job, FAILURES.shutdown, 'failed');
      else this.finish(job, { state: 'cancelled' }, 'cancelled');
    }
    this.active = undefined;
    this.next();
  }

  private fail(job: MemoryJob, error: string, kind: Outcome['kind']): void {
    this.finish(job, { state: 'failed', error }, kind);
  }

  private finish(job: MemoryJob, end: JobEnd, kind: Outcome['kind']): void {
    const now = this.dependencies.elapsed();
    clearTimeout(job.expiry);
    job.phase = end;
    job.spec = { ...job.spec, prefix: Buffer.alloc(0) };
    job.finishedAt = now;
    const startedAt = job.startedAt ?? now;
    this.dependencies.onOutcome({
      kind,
      hashes: job.hashes,
      solveMs: Math.round(now - startedAt),
      queueWaitMs: Math.round(startedAt - job.submittedAt),
    });
    this.waiters.wake(job.id);
    if (this.stopped) return;
    setTimeout(() => this.jobs.delete(job.id), this.dependencies.options.resultTtlMs).unref();
  }
}
