import type { RequestHandler } from 'express';
import type { PowContext } from '../context';
import { answerWithJob, queryWait } from './job-answer';

/** GET /pow/<job_id>?wait_ms=<milliseconds>: the job, at once or when it has ended. */
export function getPow(context: PowContext): RequestHandler {
  return (request, response) => {
    const id = String(request.params[0]);
    return answerWithJob(context, request, response, id, queryWait(request, context.options['max-wait-ms']));
  };
}
