import type { MinuteCounter } from '@wrkz/service-kit';
import type { JobRecord, JobSpec } from '../jobs/job';

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
  /** A job older than this when its turn comes is dropped. */
  readonly jobTimeoutMs: number;
  /** How long a finished job is remembered. */
  readonly resultTtlMs: number;
}

/** How a job ended, told once on the instance that ran (or cancelled) it. */
export interface Outcome {
  readonly kind: 'done' | 'failed' | 'cancelled' | 'expired';
  readonly hashes: bigint;
  /** Time spent hashing, and time waited before. */
  readonly solveMs: number;
  readonly queueWaitMs: number;
}

/** Where jobs wait and results are kept: in memory, or in Redis for several instances. */
export interface JobQueue {
  start(): Promise<void>;
  /** Takes a job in, or undefined when the queue is full. */
  submit(spec: JobSpec): Promise<JobRecord | undefined>;
  get(id: string): Promise<JobRecord | undefined>;
  /** Resolves with the job once it has ended, at the latest after `ms` or when `signal` fires. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<JobRecord | undefined>;
  /** `cancelled` is true when the job was queued or running. */
  cancel(id: string): Promise<{ cancelled: boolean; job: JobRecord } | undefined>;
  depth(): Promise<QueueDepth>;
  /** A limit counted together by all who share the queue. */
  counter(name: string): MinuteCounter;
  /** Starts nothing more, answers who waits, stops the running search. */
  stop(): Promise<void>;
}

export type OnOutcome = (outcome: Outcome) => void;
