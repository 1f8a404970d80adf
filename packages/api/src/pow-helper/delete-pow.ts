import { z } from 'zod';
import { jobAnswer, jobParams } from './job';

/** DELETE /pow/{id}: that a waiting or running job was cancelled, or the job as it ended. */
export const cancelAnswer = z.union([
  jobAnswer,
  z.object({ job_id: jobParams.shape.id, status: z.literal('cancelled') }),
]);
