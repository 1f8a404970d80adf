import { z } from 'zod';
import { powJobAnswer, powJobParams } from './job';

/** DELETE /pow/{id}: that a waiting or running job was cancelled, or the job as it ended. */
export const powCancelAnswer = z.union([
  powJobAnswer,
  z.object({ job_id: powJobParams.shape.id, status: z.literal('cancelled') }),
]);
