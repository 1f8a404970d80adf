import type { Logger, MinuteCounter } from '@wrkz/service-kit';
import type { JobRecord, JobSpec } from '../jobs/job';
import type { Solver } from '../jobs/solver';

/** The shape of the running job; never its id. */
export interface ActiveJob {
  readonly difficulty: bigint;
  readonly inputs: number;
  readonly outputs: number;
  readonly hashes: bigint;
  readonly runningMs: number;
}

export interface QueueDepth {
  readonly waiting: number;
  /** Jobs remembered, in any state. */
  readonly tracked: number;
  readonly active: ActiveJob | undefined;
}

export interface QueueSettings {
  /** Jobs that may wait. */
  readonly capacity: number;
  /** A job that is still queued after this time ends as expired. */
  readonly jobTimeoutMs: number;
  /** How long a finished job is remembered. */
  readonly resultTtlMs: number;
  /** A job that nobody has asked about for so long gives way to those that somebody waits for. */
  readonly patienceMs: number;
}

/** How a job ended. It is reported once, by the instance that ran or cancelled the job. */
export interface Outcome {
  readonly kind: 'done' | 'failed' | 'cancelled' | 'expired';
  readonly hashes: bigint;
  /** Time spent hashing. */
  readonly solveMs: number;
  /** Time from the submission to the first hash. */
  readonly queueWaitMs: number;
}

/** What every kind of queue is built from. */
export interface QueueParts {
  readonly settings: QueueSettings;
  /** Hashing threads. */
  readonly threads: number;
  readonly solver: Solver;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly logger: Logger;
  /** Milliseconds of a clock that never steps back, for the times of jobs. */
  readonly elapsed: () => number;
  /** Unix milliseconds, for the windows of limits. */
  readonly now: () => number;
}

/** What became of a DELETE. */
export type Cancellation = { readonly cancelled: true } | { readonly cancelled: false; readonly job: JobRecord };

/**
 * Where jobs wait and results are stored: in memory, or in Redis for several instances. While a shared queue is away,
 * methods throw the refusal `queueAway` within two seconds, except for those that say otherwise.
 */
export interface JobQueue {
  /** @throws Error with a message for the operator when the queue cannot be reached */
  start(): Promise<void>;
  /** Adds a job; undefined when the queue is full of jobs that somebody waits for. */
  submit(spec: JobSpec): Promise<JobRecord | undefined>;
  /** Asking for a job shows that somebody waits for it. */
  get(id: string): Promise<JobRecord | undefined>;
  /** Resolves with the job once it has ended, at the latest after `ms` or when `signal` fires. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined>;
  /** `cancelled` is true when the job was queued or running. */
  cancel(id: string): Promise<Cancellation | undefined>;
  /** Always answers: with what was last known while the queue is away. */
  depth(): Promise<QueueDepth>;
  /** A counter shared by all instances of the queue; it counts in this process while the queue is away. */
  counter(name: string): MinuteCounter;
  /** Whether jobs can be taken now; asks the queue. */
  isReachable(): Promise<boolean>;
  /** Starts no further job, answers everyone who waits and stops the running search. */
  stop(): Promise<void>;
}
