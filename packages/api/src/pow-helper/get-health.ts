import { z } from 'zod';
import { powCount } from './integers';

/** GET /health. */
export const powHealthAnswer = z.object({
  /** Jobs that may wait. */
  capacity: powCount,
  /** Jobs waiting. */
  queue: powCount,
  status: z.literal('OK'),
  /** Hashing threads. */
  threads: powCount,
});
