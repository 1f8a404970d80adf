import { randomBytes } from 'node:crypto';
import { errorText, memoryMinuteCounter, type MinuteCounter } from '@wrkz/service-kit';
import { FAILURES, isFinal, type JobEnd, type JobPhase, type JobRecord, type JobSpec } from '../jobs/job';
import type { Cancellation, JobQueue, Outcome, QueueDepth, QueueParts } from './job-queue';
import { firstAbandoned, nextInTurn } from './turn';
import { Waiters } from './waiters';

/** Times are those of the queue's clock. */
interface MemoryJob {
  readonly id: string;
  /** Without the prefix once the job has ended. */
  spec: JobSpec;
  readonly abort: AbortController;
  readonly submittedAt: number;
  /** Ends the job if it is still queued after the job time-out. */
  readonly expiry: NodeJS.Timeout;
  phase: JobPhase;
  hashes: bigint;
  polledAt: number;
  startedAt?: number;
  finishedAt?: number;
}

/** The embedded queue: one job at a time, in turn, results stay in this process. */
export class MemoryQueue implements JobQueue {
  private readonly jobs = new Map<string, MemoryJob>();
  /** In the order of arrival. */
  private readonly waiting: MemoryJob[] = [];
  private readonly waiters = new Waiters();
  private readonly removals = new Set<NodeJS.Timeout>();
  private active: MemoryJob | undefined;
  private stopped = false;

  constructor(private readonly parts: QueueParts) {}

  /** There is nothing to connect to. */
  async start(): Promise<void> {}

  async submit(spec: JobSpec): Promise<JobRecord | undefined> {
    if (!this.hasRoom()) return undefined;
    const now = this.parts.elapsed();
    const job: MemoryJob = {
      expiry: setTimeout(() => this.expire(job), this.parts.settings.jobTimeoutMs).unref(),
      id: randomBytes(16).toString('hex'),
      spec,
      abort: new AbortController(),
      submittedAt: now,
      phase: { state: 'queued' },
      hashes: 0n,
      polledAt: now,
    };
    this.jobs.set(job.id, job);
    this.waiting.push(job);
    this.next();
    return this.record(job);
  }

  async get(id: string): Promise<JobRecord | undefined> {
    const job = this.asked(id);
    return job && this.record(job);
  }

  async wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined> {
    const job = this.asked(id);
    if (job === undefined) return undefined;
    if (!isFinal(job.phase)) {
      await this.waiters.wait(id, ms, signal);
      job.polledAt = this.parts.elapsed();
    }
    return this.record(job);
  }

  async cancel(id: string): Promise<Cancellation | undefined> {
    const job = this.remembered(id);
    if (job === undefined) return undefined;
    if (isFinal(job.phase)) return { cancelled: false, job: this.record(job) };
    const place = this.waiting.indexOf(job);
    if (place >= 0) {
      this.waiting.splice(place, 1);
      this.finish(job, { state: 'cancelled' }, 'cancelled');
    } else {
      job.abort.abort();
    }
    return { cancelled: true };
  }

  async depth(): Promise<QueueDepth> {
    const job = this.active;
    const now = this.parts.elapsed();
    const active = job && {
      difficulty: job.spec.difficulty,
      inputs: job.spec.inputs,
      outputs: job.spec.outputs,
      hashes: job.hashes,
      runningMs: now - (job.startedAt ?? now),
    };
    return { waiting: this.waiting.length, tracked: this.jobs.size, active };
  }

  counter(): MinuteCounter {
    return memoryMinuteCounter(this.parts.now);
  }

  async isReachable(): Promise<boolean> {
    return true;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const job of this.waiting.splice(0)) this.fail(job, FAILURES.shutdown, 'failed');
    this.active?.abort.abort();
    this.waiters.wakeAll();
    for (const timer of this.removals) clearTimeout(timer);
  }

  private record({ id, spec, phase, hashes, submittedAt, finishedAt }: MemoryJob): JobRecord {
    const { difficulty, inputs, outputs } = spec;
    const elapsedMs = Math.round((finishedAt ?? this.parts.elapsed()) - submittedAt);
    return { ...phase, id, difficulty, inputs, outputs, hashes, elapsedMs };
  }

  /** A job whose result is still to be had; the timer that removes it may be late. */
  private remembered(id: string): MemoryJob | undefined {
    const job = this.jobs.get(id);
    const { resultTtlMs } = this.parts.settings;
    const isOver = job?.finishedAt !== undefined && this.parts.elapsed() - job.finishedAt > resultTtlMs;
    return isOver ? undefined : job;
  }

  private asked(id: string): MemoryJob | undefined {
    const job = this.remembered(id);
    if (job !== undefined) job.polledAt = this.parts.elapsed();
    return job;
  }

  private readonly isWaitedFor = ({ id, polledAt }: MemoryJob): boolean =>
    this.waiters.has(id) || this.parts.elapsed() - polledAt <= this.parts.settings.patienceMs;

  /** Whether a job can be added; in a full queue one that nobody waits for makes room. */
  private hasRoom(): boolean {
    if (this.waiting.length < this.parts.settings.capacity) return true;
    const abandoned = firstAbandoned(this.waiting, this.isWaitedFor);
    if (abandoned === undefined) return false;
    this.expire(abandoned);
    return true;
  }

  /** Does nothing to a job that is not queued. */
  private expire(job: MemoryJob): void {
    if (!this.waiting.includes(job)) return;
    this.leave(job);
    this.fail(job, FAILURES.expired, 'expired');
  }

  private leave(job: MemoryJob): void {
    this.waiting.splice(this.waiting.indexOf(job), 1);
  }

  /** Starts the job whose turn it is if none runs; jobs that waited too long are dropped on the way. */
  private next(): void {
    while (this.active === undefined && !this.stopped) {
      const job = nextInTurn(this.waiting, this.isWaitedFor);
      if (job === undefined) return;
      if (this.parts.elapsed() - job.submittedAt > this.parts.settings.jobTimeoutMs) {
        // its timer is late
        this.expire(job);
        continue;
      }
      this.leave(job);
      this.active = job;
      void this.run(job);
    }
  }

  private async run(job: MemoryJob): Promise<void> {
    job.phase = { state: 'running' };
    job.startedAt = this.parts.elapsed();
    try {
      const { nonce, hashes } = await this.parts.solver(job.spec, {
        threads: this.parts.threads,
        signal: job.abort.signal,
        onProgress: (done) => {
          job.hashes = done;
        },
      });
      job.hashes = hashes;
      this.finish(job, { state: 'done', nonce }, 'done');
    } catch (error) {
      if (!job.abort.signal.aborted) {
        this.parts.logger.error(`a search failed: ${errorText(error)}`);
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
    const now = this.parts.elapsed();
    clearTimeout(job.expiry);
    job.phase = end;
    job.spec = { ...job.spec, prefix: Buffer.alloc(0) };
    job.finishedAt = now;
    const startedAt = job.startedAt ?? now;
    this.parts.onOutcome({
      kind,
      hashes: job.hashes,
      solveMs: Math.round(now - startedAt),
      queueWaitMs: Math.round(startedAt - job.submittedAt),
    });
    this.waiters.wake(job.id);
    if (this.stopped) return;
    const timer = setTimeout(() => {
      this.removals.delete(timer);
      this.jobs.delete(job.id);
    }, this.parts.settings.resultTtlMs);
    timer.unref();
    this.removals.add(timer);
  }
}
