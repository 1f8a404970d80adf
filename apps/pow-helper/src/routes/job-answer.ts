import type { powHelperApi } from '@wrkz/api';
import type { z } from 'zod';
import type { PowContext } from '../context';
import { jobReply, type JobRecord } from '../jobs/job';
import { PowRefusal } from '../refusals';

type JobReply = z.output<typeof powHelperApi.jobAnswer>;

/** `wait_ms` of the query, in milliseconds. */
export function queryWait({ wait_ms: text }: z.output<typeof powHelperApi.waitQuery>): number {
  return Number(text ?? 0);
}

/**
 * Waits until the job has ended, the time (at most `--max-wait-ms`) is over or the client has left, and returns the reply.
 * A client that leaves loses nothing: the job goes on and its result stays.
 */
export async function answerWithJob(
  context: PowContext,
  id: string,
  waitMs: number,
  gone: AbortSignal,
): Promise<JobReply> {
  const { queue, options } = context;
  const isWaiting = waitMs > 0 && !context.isStopping();
  const job = await (isWaiting ? queue.wait(id, Math.min(waitMs, options['max-wait-ms']), gone) : queue.get(id));
  if (job === undefined) throw new PowRefusal('unknownJob');
  return replyFor(context, job);
}

/** The reply for a job; the number of waiting jobs is looked up only for one that waits itself. */
export async function replyFor({ queue }: PowContext, job: JobRecord): Promise<JobReply> {
  const waiting = job.state === 'queued' ? (await queue.depth()).waiting : 0;
  return jobReply(job, waiting);
}
