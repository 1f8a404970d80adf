import { z } from 'zod';
import { integer, uint64 } from '../scalars';

/** Where a job is. */
export const jobState = z.enum(['queued', 'running', 'done', 'failed', 'cancelled']);
/** What a client makes of it: queued and running jobs are pending. */
export const jobStatus = z.enum(['pending', 'done', 'error', 'cancelled']);

const jobId = z.string().regex(/^[0-9a-f]{32}$/);

/** A job as POST /pow and GET /pow/{id} answer it. */
export const jobAnswer = z.object({
  difficulty: uint64,
  /** Milliseconds from the submission to now, or to the end of the job. */
  elapsed_ms: integer,
  /** Why the job failed. */
  error: z.string().optional(),
  /** Computed so far, or in total. */
  hashes: uint64,
  inputs: integer,
  job_id: jobId,
  /** Of a job that is done: the 8 bytes that replace the last ones of the prefix, in that order. */
  nonce: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  outputs: integer,
  /** Jobs that wait, as long as this one waits too. */
  queue_length: integer.optional(),
  state: jobState,
  status: jobStatus,
});

/** The parameter of /pow/{id}; another spelling is another path. */
export const jobParams = z.object({ id: jobId });

/** `wait_ms`: how long the answer may be held back for the job to end, in milliseconds. What is no number counts as 0. */
export const waitQuery = z.object({ wait_ms: z.string().regex(/^\d+$/).optional().catch(undefined) });
