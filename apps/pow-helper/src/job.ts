import type { powHelperApi } from '@wrkz/api';
import { transactionNonceMeets, transactionPowSearch } from '@wrkz/consensus';
import { searchNonce } from '@wrkz/crypto';
import type { z } from 'zod';

/** State of a job. Clients see queued and running jobs as pending; the other states are final. */
export type JobState = z.output<typeof powHelperApi.jobState>;

/** Error texts of failed jobs. */
export const FAILURES = {
  expired: 'expired before a worker was free',
  shutdown: 'server shutting down',
  internal: 'the search failed, compute the proof locally',
} as const;

export interface JobSpec {
  readonly prefix: Buffer;
  readonly inputs: number;
  readonly outputs: number;
  readonly difficulty: bigint;
}

export type JobEnd =
  | { readonly state: 'done'; readonly nonce: Buffer }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'cancelled' };

export type JobPhase = { readonly state: 'queued' } | { readonly state: 'running' } | JobEnd;

export type JobRecord = JobPhase & {
  /** 32 lower-case hex characters from a secure random generator: clients with the id can cancel the job. */
  readonly id: string;
  readonly difficulty: bigint;
  readonly inputs: number;
  readonly outputs: number;
  readonly hashes: bigint;
  /** Milliseconds from the submission until now, or until the end of the job. */
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

/** Body of POST /pow and GET /pow/{id}. @param queued number of queued jobs, included while this job is queued */
export function toJobResponse(job: JobRecord, queued: number): z.output<typeof powHelperApi.jobResponse> {
  return {
    difficulty: job.difficulty,
    elapsed_ms: job.elapsedMs,
    error: job.state === 'failed' ? job.error : undefined,
    hashes: job.hashes,
    inputs: job.inputs,
    job_id: job.id,
    nonce: job.state === 'done' ? job.nonce.toString('hex') : undefined,
    outputs: job.outputs,
    queue_length: job.state === 'queued' ? queued : undefined,
    state: job.state,
    status: STATUS[job.state],
  };
}

export interface Solution {
  /** The last 8 bytes of the prefix. */
  readonly nonce: Buffer;
  readonly hashes: bigint;
}

export interface SolveOptions {
  /** Number of hashing threads. All of them work on one job. */
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (hashes: bigint) => void;
}

export type Solver = (spec: JobSpec, options: SolveOptions) => Promise<Solution>;

/**
 * Creates a solver from a search function. Each nonce is verified with one additional hash.
 * @throws the reason of the signal; Error if the search returned an invalid nonce
 */
export function solverWith(search: typeof searchNonce): Solver {
  return async ({ prefix, difficulty }, { threads, signal, onProgress }) => {
    const found = await search({ ...transactionPowSearch(prefix, difficulty), threads, signal, onProgress });
    if (found === null || !transactionNonceMeets(prefix, found.nonceBytes, difficulty)) {
      throw new Error('the search returned an invalid nonce');
    }
    return { nonce: found.nonceBytes, hashes: found.hashes };
  };
}

export const solve: Solver = solverWith(searchNonce);
