import type { powJobAnswer, powWaitQuery } from '@wrkz/api';
import type { z } from 'zod';
import type { PowContext } from '../context';
import { jobReply, type JobRecord } from '../jobs/job';
import { PowRefusal } from '../refusals';

type JobReply = z.output<typeof powJobAnswer>;

/** `wait_ms` of the query in milliseconds, at most `--max-wait-ms`. */
export function queryWait({ options }: PowContext, { wait_ms: text }: z.output<typeof powWaitQuery>): number {
  return Math.min(Number(text ?? 0), options['max-wait-ms']);
}

/**
 * Waits until the job has ended, the time is over or the client has left, and returns the reply. A client that leaves
 * loses nothing: the job goes on and its result stays.
 */
export async function answerWithJob(
  context: PowContext,
  id: string,
  waitMs: number,
  gone: AbortSignal,
): Promise<JobReply> {
  const { queue } = context;
  const isWaiting = waitMs > 0 && !context.isStopping();
  const job = await (isWaiting ? queue.wait(id, waitMs, gone) : queue.get(id));
  if (job === undefined) throw new PowRefusal('unknownJob');
  return replyFor(context, job);
}

/** The reply for a job; the number of waiting jobs is looked up only for one that waits itself. */
export async function replyFor({ queue, now }: PowContext, job: JobRecord): Promise<JobReply> {
  const waiting = job.state === 'queued' ? (await queue.depth()).waiting : 0;
  return jobReply(job, waiting, now());
}
