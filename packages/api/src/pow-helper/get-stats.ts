import { z } from 'zod';
import { decimal, integer, uint64 } from '../scalars';

/** The running job; never its id. */
const activeJob = z.object({
  difficulty: uint64,
  hashes: uint64,
  inputs: integer,
  outputs: integer,
  running_ms: integer,
});

/** GET /stats: what one instance has counted since its start. */
export const statsAnswer = z.object({
  active: activeJob.nullable(),
  http: z.object({ requests: integer, unauthorized: integer }),
  jobs: z.object({
    received: integer,
    accepted: integer,
    rejected_invalid: integer,
    rejected_difficulty: integer,
    rejected_queue_full: integer,
    rejected_rate_limited: integer,
    rejected_global_limit: integer,
    completed: integer,
    failed: integer,
    cancelled: integer,
    expired: integer,
  }),
  limits: z.object({ max_difficulty: integer, max_wait_ms: integer }),
  queue: z.object({ capacity: integer, tracked_jobs: integer, waiting: integer }),
  /** Unix seconds. */
  started_at: integer,
  threads: integer,
  uptime_seconds: integer,
  version: z.string(),
  work: z.object({
    hashes: uint64,
    busy_ms: integer,
    /** Hashes per second of busy time. */
    hashrate: decimal,
    solve_ms_avg: integer,
    solve_ms_max: integer,
    queue_wait_ms_avg: integer,
  }),
});
