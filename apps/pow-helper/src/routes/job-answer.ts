import type { Request, Response } from 'express';
import { sendJson } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import { jobReply, type JobRecord } from '../jobs/job';
import { PowRefusal } from '../refusals';

/** `wait_ms` of the query; text that is no number reads as 0, an absurd one is cut. */
export function queryWait(request: Request, maxWaitMs: number): number {
  const text = request.query['wait_ms'];
  const value = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : 0;
  return Math.min(value, maxWaitMs);
}

/**
 * Holds the request open until the job has ended, the wait is over or the client is gone, then answers with the job.
 * A client that leaves loses nothing: the job goes on and its result stays.
 */
export async function answerWithJob(
  context: PowContext,
  request: Request,
  response: Response,
  id: string,
  waitMs: number,
): Promise<void> {
  const job = await waitForJob(context, response, id, waitMs);
  if (response.destroyed) return;
  if (job === undefined) throw new PowRefusal('unknownJob');
  await sendJson(request, response, 200, await reply(context, job));
}

/** The reply for a job; the number of waiting jobs is looked up only for one that waits itself. */
export async function reply(context: PowContext, job: JobRecord): Promise<Record<string, unknown>> {
  const waiting = job.state === 'queued' ? (await context.queue.depth()).waiting : 0;
  return jobReply(job, waiting, context.now());
}

async function waitForJob(
  context: PowContext,
  response: Response,
  id: string,
  waitMs: number,
): Promise<JobRecord | undefined> {
  const { queue } = context;
  if (waitMs <= 0 || context.isStopping()) return queue.get(id);
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  try {
    return await queue.wait(id, waitMs, gone.signal);
  } finally {
    response.removeListener('close', leave);
  }
}
