import type { powHelperApi } from '@wrkz/api';
import type { z } from 'zod';

/** Clients see queued and running jobs as pending; the other three states are final. */
export type JobState = z.output<typeof powHelperApi.jobState>;

/** Why a job failed, as its reply says. */
export const FAILURES = {
  expired: 'expired before a worker was free',
  shutdown: 'server shutting down',
  internal: 'the search failed, compute the proof locally',
} as const;

/** What the workers are to solve. */
export interface JobSpec {
  readonly prefix: Buffer;
  readonly inputs: number;
  readonly outputs: number;
  readonly difficulty: bigint;
}

/** A job at one moment, from whichever queue. Times are Unix milliseconds. */
export interface JobRecord {
  /** 32 lower-case hex characters from the system's random source, since whoever has the id may cancel the job. */
  readonly id: string;
  readonly state: JobState;
  readonly difficulty: bigint;
  readonly inputs: number;
  readonly outputs: number;
  readonly hashes: bigint;
  readonly submittedAt: number;
  readonly finishedAt?: number | undefined;
  readonly nonce?: Buffer | undefined;
  readonly error?: string | undefined;
}

export function isFinal(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

const STATUS: Readonly<Record<JobState, z.output<typeof powHelperApi.jobStatus>>> = {
  queued: 'pending',
  running: 'pending',
  done: 'done',
  failed: 'error',
  cancelled: 'cancelled',
};

/** The reply of POST /pow and GET /pow/{id}. `waiting` is shown while the job is queued. */
export function jobReply(job: JobRecord, waiting: number, now: number): z.output<typeof powHelperApi.jobAnswer> {
  return {
    difficulty: job.difficulty,
    elapsed_ms: Math.max(0, (job.finishedAt ?? now) - job.submittedAt),
    error: job.state === 'failed' ? job.error : undefined,
    hashes: job.hashes,
    inputs: job.inputs,
    job_id: job.id,
    nonce: job.state === 'done' ? job.nonce?.toString('hex') : undefined,
    outputs: job.outputs,
    queue_length: job.state === 'queued' ? waiting : undefined,
    state: job.state,
    status: STATUS[job.state],
  };
}
