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
  /** Max queued jobs. */
  readonly capacity: number;
  /** A job that is queued for longer expires. */
  readonly jobTimeoutMs: number;
  /** Time for which a finished job is stored. */
  readonly resultTtlMs: number;
  /** A job without a poll for longer is abandoned: other jobs take precedence. */
  readonly pollTimeoutMs: number;
}

/** How a job ended. The instance that ran or cancelled the job reports it once. */
export interface Outcome {
  readonly kind: 'done' | 'failed' | 'cancelled' | 'expired';
  readonly hashes: bigint;
  /** Time spent hashing. */
  readonly solveMs: number;
  /** Time from the submission to the first hash. */
  readonly queueWaitMs: number;
}

/** Of both kinds of queue. */
export interface QueueDependencies {
  readonly options: QueueOptions;
  /** Hashing threads. */
  readonly threads: number;
  readonly solver: Solver;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly logger: Logger;
  /** Monotonic milliseconds, for the times of jobs. */
  readonly elapsed: () => number;
  /** Unix milliseconds, for the windows of rate limits. */
  readonly now: () => number;
}

/** Result of a cancellation; a finished job cannot be cancelled. */
export type Cancellation = { readonly cancelled: true } | { readonly cancelled: false; readonly job: JobRecord };

/**
 * The job queue: in memory, or in Redis for several instances. While Redis is unreachable, methods throw the refusal
 * `queueAway` within two seconds, unless they state otherwise.
 */
export interface JobQueue {
  /** @throws Error with a message for the operator if the queue is unreachable */
  start(): Promise<void>;
  /** Adds a job. A full queue drops an abandoned job; undefined if there is none. */
  submit(spec: JobSpec): Promise<JobRecord | undefined>;
  /** Polls a job. */
  get(id: string): Promise<JobRecord | undefined>;
  /** Resolves with the job when it has ended, after `ms`, or when `signal` is aborted. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined>;
  /** Cancels a queued or running job. */
  cancel(id: string): Promise<Cancellation | undefined>;
  /** Never throws: returns the last known values while Redis is unreachable. */
  depth(): Promise<QueueDepth>;
  /** A counter shared by all instances; counts in this process while Redis is unreachable. */
  counter(name: string): MinuteCounter;
  /** Whether jobs can be submitted now. */
  isReachable(): Promise<boolean>;
  /** Starts no further job, ends all waits, and aborts the running search. */
  stop(): Promise<void>;
}

/**
 * A job without a poll for longer is abandoned. Clients poll again as soon as they have a response, so this is the time to
 * reconnect.
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

/** Requests that wait for jobs to end. */
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

  /** Jobs with a waiting request. */
  ids(): string[] {
    return [...this.byId.keys()];
  }
}
