import { z } from 'zod';
import { integer } from '../scalars';

/** GET /health. */
export const healthAnswer = z.object({
  /** Jobs that may wait. */
  capacity: integer,
  /** Jobs waiting. */
  queue: integer,
  status: z.literal('OK'),
  /** Hashing threads. */
  threads: integer,
});
