import type { RequestHandler } from 'express';
import { sendJson } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import { PowRefusal } from '../refusals';
import { reply } from './job-answer';

/** DELETE /pow/{id}: cancels a job that waits or runs; for one that has ended it answers with the job. */
export function deletePow(context: PowContext): RequestHandler {
  return async (request, response) => {
    const found = await context.queue.cancel(String(request.params[0]));
    if (found === undefined) throw new PowRefusal('unknownJob');
    const { cancelled, job } = found;
    const answer = cancelled ? { job_id: job.id, status: 'cancelled' } : await reply(context, job);
    await sendJson(request, response, 200, answer);
  };
}
