import { z } from 'zod';
import { powBigCount, powCount } from './integers';

/** A rate, which JSON may write without a fraction. */
const rate = z.codec(z.union([z.bigint(), z.number()]), z.number().min(0), {
  decode: Number,
  encode: (value) => value,
});

/** The running job; never its id. */
const activeJob = z.object({
  difficulty: powBigCount,
  hashes: powBigCount,
  inputs: powCount,
  outputs: powCount,
  running_ms: powCount,
});

/** GET /stats: what one instance has counted since its start. */
export const powStatsAnswer = z.object({
  active: activeJob.nullable(),
  http: z.object({ requests: powCount, unauthorized: powCount }),
  jobs: z.object({
    received: powCount,
    accepted: powCount,
    rejected_invalid: powCount,
    rejected_difficulty: powCount,
    rejected_queue_full: powCount,
    rejected_rate_limited: powCount,
    rejected_global_limit: powCount,
    completed: powCount,
    failed: powCount,
    cancelled: powCount,
    expired: powCount,
  }),
  limits: z.object({ max_difficulty: powCount, max_wait_ms: powCount }),
  queue: z.object({ capacity: powCount, tracked_jobs: powCount, waiting: powCount }),
  /** Unix seconds. */
  started_at: powCount,
  threads: powCount,
  uptime_seconds: powCount,
  version: z.string(),
  work: z.object({
    hashes: powBigCount,
    busy_ms: powCount,
    /** Hashes per second of busy time. */
    hashrate: rate,
    solve_ms_avg: powCount,
    solve_ms_max: powCount,
    queue_wait_ms_avg: powCount,
  }),
});
