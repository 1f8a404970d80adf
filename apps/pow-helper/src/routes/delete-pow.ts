import { powHelperApi } from '@wrkz/api';
import { PowRefusal } from '../refusals';
import { replyFor } from './job-answer';
import { declareRoute, KEY_AND_LIMIT } from './route';

export const deletePow = declareRoute({
  method: 'DELETE',
  path: '/pow/{id}',
  summary: 'Cancels a job that waits or runs; one that has ended is answered as it is.',
  guards: KEY_AND_LIMIT,
  params: powHelperApi.jobParams,
  answer: powHelperApi.cancelAnswer,
  errors: [powHelperApi.powErrors.unknownJob, powHelperApi.powErrors.queueAway, powHelperApi.powErrors.internal],
  handle: async (context, { path }) => {
    const found = await context.queue.cancel(path.id);
    if (found === undefined) throw new PowRefusal('unknownJob');
    return found.cancelled ? { job_id: path.id, status: 'cancelled' as const } : replyFor(context, found.job);
  },
});
