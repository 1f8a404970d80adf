import type { Logger, MinuteCounter } from '@wrkz/service-kit';
import type { JobRecord, JobSpec, Solver } from '../job';

/** The running job, without its id. */
export interface ActiveJob {
  readonly difficulty: bigint;
  readonly inputs: number;
  readonly outputs: number;
  readonly hashes: bigint;
  readonly runningMs: number;
}

export interface QueueDepth {
  readonly waiting: number;
  /** Stored jobs, in any state. */
  readonly tracked: number;
  readonly active: ActiveJob | undefined;
}

export interface QueueOptions {
  /** Max number of queued jobs. */
  readonly capacity: number;
  /** Max time in the queue, after which a job expires. */
  readonly jobTimeoutMs: number;
  /** Retention of a finished job. */
  readonly resultTtlMs: number;
  /** Time without a poll after which a job is abandoned, so that other jobs take precedence. */
  readonly pollTimeoutMs: number;
}

/** Outcome of a job. The instance that ran or cancelled the job reports it once. */
export interface Outcome {
  readonly kind: 'done' | 'failed' | 'cancelled' | 'expired';
  readonly hashes: bigint;
  /** Time spent hashing. */
  readonly solveMs: number;
  /** Time from the submission to the first hash. */
  readonly queueWaitMs: number;
}

export interface QueueDependencies {
  readonly options: QueueOptions;
  readonly threads: number;
  readonly solver: Solver;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly logger: Logger;
  /** Monotonic milliseconds, for the times of jobs. */
  readonly elapsed: () => number;
  /** Unix milliseconds, for the windows of rate limits. */
  readonly now: () => number;
}

/** Result of a cancellation. A finished job cannot be cancelled. */
export type Cancellation = { readonly cancelled: true } | { readonly cancelled: false; readonly job: JobRecord };

/**
 * The job queue: in memory, or in Redis for several instances. While Redis is unreachable, methods throw PowRefusal
 * `queueAway` within two seconds, unless documented otherwise.
 */
export interface JobQueue {
  /** @throws Error with a message for the operator if the queue is unreachable */
  start(): Promise<void>;
  /** Adds a job. A full queue drops an abandoned job. @returns undefined if the queue is full and no job is abandoned */
  submit(spec: JobSpec): Promise<JobRecord | undefined>;
  /** Returns a job and records the poll. */
  get(id: string): Promise<JobRecord | undefined>;
  /** Resolves with the job when it has ended, after `ms`, or when `signal` is aborted. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined>;
  /** Cancels a queued or running job. */
  cancel(id: string): Promise<Cancellation | undefined>;
  /** Never throws: returns the last known values while Redis is unreachable. */
  depth(): Promise<QueueDepth>;
  /** A counter shared by all instances. While Redis is unreachable it counts in this process. */
  counter(name: string): MinuteCounter;
  /** Whether jobs can currently be submitted. */
  isReachable(): Promise<boolean>;
  /** Starts no further job, ends all waits, and aborts the running search. */
  stop(): Promise<void>;
}

/**
 * Time without a poll after which a job is abandoned. Clients poll again as soon as they have a response, so this is the time
 * they have to reconnect.
 */
export const POLL_TIMEOUT_MS = 30_000;

/**
 * The next job to run: FIFO, jobs that are not abandoned first (docs/protocol/pow-helper.md#jobs). The script `TAKE` of the
 * queue in Redis has the same order.
 */
export function nextJob<Job>(queued: readonly Job[], isPolled: (job: Job) => boolean): Job | undefined {
  return queued.find(isPolled) ?? queued[0];
}

/** The job that a full queue drops for a new one; undefined if none is abandoned. */
export function firstAbandoned<Job>(queued: readonly Job[], isPolled: (job: Job) => boolean): Job | undefined {
  return queued.find((job) => !isPolled(job));
}

/** Requests that wait for the end of a job. */
export class Waiters {
  private readonly byId = new Map<string, Set<() => void>>();

  /** Resolves at `wake(id)` or `wakeAll()`, after `ms`, or when `signal` is aborted. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        const set = this.byId.get(id);
        set?.delete(finish);
        if (set?.size === 0) this.byId.delete(id);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener('abort', finish, { once: true });
      const set = this.byId.get(id) ?? new Set();
      this.byId.set(id, set.add(finish));
    });
  }

  wake(id: string): void {
    for (const finish of [...(this.byId.get(id) ?? [])]) finish();
  }

  wakeAll(): void {
    for (const id of [...this.byId.keys()]) this.wake(id);
  }

  /** Whether a request waits for the job. */
  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** Ids of the jobs with a waiting request. */
  ids(): string[] {
    return [...this.byId.keys()];
  }
}
