import { randomBytes } from 'node:crypto';
import { memoryMinuteCounter, type MinuteCounter } from '@wrkz/service-kit';
import { FAILURES, isFinal, type JobRecord, type JobSpec, type JobState } from '../jobs/job';
import type { JobQueue, Outcome, QueueDepth, QueueParts } from './job-queue';
import { Waiters } from './waiters';

interface MemoryJob extends JobRecord {
  readonly spec: JobSpec;
  readonly abort: AbortController;
  state: JobState;
  hashes: bigint;
  startedAt?: number;
  finishedAt?: number;
  nonce?: Buffer;
  error?: string;
}

/** The embedded queue: first in, first out, one job at a time, results stay in this process. */
export class MemoryQueue implements JobQueue {
  readonly #jobs = new Map<string, MemoryJob>();
  readonly #waiting: MemoryJob[] = [];
  readonly #waiters = new Waiters();
  readonly #removals = new Set<NodeJS.Timeout>();
  #active: MemoryJob | undefined;
  #stopped = false;

  constructor(private readonly parts: QueueParts) {}

  /** There is nothing to connect to. */
  async start(): Promise<void> {}

  async submit(spec: JobSpec): Promise<JobRecord | undefined> {
    if (this.#waiting.length >= this.parts.settings.capacity) return undefined;
    const job: MemoryJob = {
      id: randomBytes(16).toString('hex'),
      state: 'queued',
      difficulty: spec.difficulty,
      inputs: spec.inputs,
      outputs: spec.outputs,
      hashes: 0n,
      submittedAt: this.parts.now(),
      spec,
      abort: new AbortController(),
    };
    this.#jobs.set(job.id, job);
    this.#waiting.push(job);
    this.#next();
    return job;
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return this.#remembered(id);
  }

  async wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined> {
    const job = this.#remembered(id);
    if (job !== undefined && !isFinal(job.state)) await this.#waiters.wait(id, ms, signal);
    return job;
  }

  async cancel(id: string): Promise<{ cancelled: boolean; job: JobRecord } | undefined> {
    const job = this.#remembered(id);
    if (job === undefined) return undefined;
    if (isFinal(job.state)) return { cancelled: false, job };
    const place = this.#waiting.indexOf(job);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      this.#finish(job, 'cancelled', 'cancelled');
    } else {
      job.abort.abort();
    }
    return { cancelled: true, job };
  }

  async depth(): Promise<QueueDepth> {
    const job = this.#active;
    const active = job && {
      difficulty: job.difficulty,
      inputs: job.inputs,
      outputs: job.outputs,
      hashes: job.hashes,
      runningMs: this.parts.now() - (job.startedAt ?? this.parts.now()),
    };
    return { waiting: this.#waiting.length, tracked: this.#jobs.size, active };
  }

  counter(): MinuteCounter {
    return memoryMinuteCounter(this.parts.now);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const job of this.#waiting.splice(0)) this.#fail(job, FAILURES.shutdown, 'failed');
    this.#active?.abort.abort();
    this.#waiters.wakeAll();
    for (const timer of this.#removals) clearTimeout(timer);
  }

  /** A job whose result is still to be had; the timer that removes it may be late. */
  #remembered(id: string): MemoryJob | undefined {
    const job = this.#jobs.get(id);
    const isOver = job?.finishedAt !== undefined && this.parts.now() - job.finishedAt > this.parts.settings.resultTtlMs;
    return isOver ? undefined : job;
  }

  /** Starts the job at the head if none runs; jobs that waited too long are dropped on the way. */
  #next(): void {
    while (this.#active === undefined && !this.#stopped) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      if (this.parts.now() - job.submittedAt > this.parts.settings.jobTimeoutMs) {
        this.#fail(job, FAILURES.expired, 'expired');
        continue;
      }
      this.#active = job;
      void this.#run(job);
    }
  }

  async #run(job: MemoryJob): Promise<void> {
    job.state = 'running';
    job.startedAt = this.parts.now();
    try {
      const { nonce, hashes } = await this.parts.solver(job.spec, {
        threads: this.parts.threads,
        signal: job.abort.signal,
        onProgress: (done) => {
          job.hashes = done;
        },
      });
      job.hashes = hashes;
      job.nonce = nonce;
      this.#finish(job, 'done', 'done');
    } catch {
      if (!job.abort.signal.aborted) this.#fail(job, FAILURES.internal, 'failed');
      else if (this.#stopped) this.#fail(job, FAILURES.shutdown, 'failed');
      else this.#finish(job, 'cancelled', 'cancelled');
    }
    this.#active = undefined;
    this.#next();
  }

  #fail(job: MemoryJob, error: string, kind: Outcome['kind']): void {
    job.error = error;
    this.#finish(job, 'failed', kind);
  }

  #finish(job: MemoryJob, state: JobState, kind: Outcome['kind']): void {
    const now = this.parts.now();
    job.state = state;
    job.finishedAt = now;
    const startedAt = job.startedAt ?? now;
    this.parts.onOutcome({
      kind,
      hashes: job.hashes,
      solveMs: now - startedAt,
      queueWaitMs: startedAt - job.submittedAt,
    });
    this.#waiters.wake(job.id);
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#removals.delete(timer);
      this.#jobs.delete(job.id);
    }, this.parts.settings.resultTtlMs);
    timer.unref();
    this.#removals.add(timer);
  }
}
