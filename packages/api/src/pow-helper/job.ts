import { z } from 'zod';
import { powBigCount, powCount } from './integers';

/** Where a job is. */
export const powJobState = z.enum(['queued', 'running', 'done', 'failed', 'cancelled']);
/** What a client makes of it: queued and running jobs are pending. */
export const powJobStatus = z.enum(['pending', 'done', 'error', 'cancelled']);

const jobId = z.string().regex(/^[0-9a-f]{32}$/);

/** A job as POST /pow and GET /pow/{id} answer it. */
export const powJobAnswer = z.object({
  difficulty: powBigCount,
  /** Milliseconds from the submission to now, or to the end of the job. */
  elapsed_ms: powCount,
  /** Why the job failed. */
  error: z.string().optional(),
  /** Computed so far, or in total. */
  hashes: powBigCount,
  inputs: powCount,
  job_id: jobId,
  /** Of a job that is done: the 8 bytes that replace the last ones of the prefix, in that order. */
  nonce: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  outputs: powCount,
  /** Jobs that wait, as long as this one waits too. */
  queue_length: powCount.optional(),
  state: powJobState,
  status: powJobStatus,
});

/** The parameter of /pow/{id}; another spelling is another path. */
export const powJobParams = z.object({ id: jobId });

/** `wait_ms`: how long the answer may be held back for the job to end, in milliseconds. What is no number counts as 0. */
export const powWaitQuery = z.object({ wait_ms: z.string().regex(/^\d+$/).optional().catch(undefined) });
