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

/** How a job ended. There is no end called done without its nonce. */
export type JobEnd =
  | { readonly state: 'done'; readonly nonce: Buffer }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'cancelled' };

/** Where a job is, with what belongs to that state. */
export type JobPhase = { readonly state: 'queued' } | { readonly state: 'running' } | JobEnd;

/** A job at one moment, from whichever queue. */
export type JobRecord = JobPhase & {
  /** 32 lower-case hex characters from the system's random source, since whoever has the id may cancel the job. */
  readonly id: string;
  readonly difficulty: bigint;
  readonly inputs: number;
  readonly outputs: number;
  readonly hashes: bigint;
  /** Milliseconds from the submission to this moment, or to the end. */
  readonly elapsedMs: number;
};

export function isFinal<Phase extends JobPhase>(phase: Phase): phase is Extract<Phase, JobEnd> {
  return phase.state !== 'queued' && phase.state !== 'running';
}

const STATUS: Readonly<Record<JobState, z.output<typeof powHelperApi.jobStatus>>> = {
  queued: 'pending',
  running: 'pending',
  done: 'done',
  failed: 'error',
  cancelled: 'cancelled',
};

/** The reply of POST /pow and GET /pow/{id}. `waiting` is shown while the job is queued. */
export function jobReply(job: JobRecord, waiting: number): z.output<typeof powHelperApi.jobAnswer> {
  return {
    difficulty: job.difficulty,
    elapsed_ms: job.elapsedMs,
    error: job.state === 'failed' ? job.error : undefined,
    hashes: job.hashes,
    inputs: job.inputs,
    job_id: job.id,
    nonce: job.state === 'done' ? job.nonce.toString('hex') : undefined,
    outputs: job.outputs,
    queue_length: job.state === 'queued' ? waiting : undefined,
    state: job.state,
    status: STATUS[job.state],
  };
}
