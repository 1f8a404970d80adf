import type { Request, RequestHandler } from 'express';
import { fromHex } from '@wrkz/core-types';
import { jsonBody, secondsToNextMinute, type JsonValue } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import { pricePrefix } from '../prefix';
import { PowRefusal } from '../refusals';
import { answerWithJob, queryWait } from './job-answer';

interface Submission {
  readonly prefix: Buffer;
  readonly height: number | undefined;
  readonly waitMs: number;
}

/** POST /pow: prices the prefix, queues the job, and waits for it as long as asked. */
export function postPow(context: PowContext): RequestHandler {
  return async (request, response) => {
    try {
      const { prefix, height, waitMs } = readSubmission(request, context.options['max-wait-ms']);
      const id = await submit(context, prefix, height);
      await answerWithJob(context, request, response, id, waitMs);
    } catch (error) {
      if (error instanceof PowRefusal && error.counter !== undefined) context.stats.count(error.counter);
      throw error;
    }
  };
}

async function submit(context: PowContext, prefix: Buffer, height: number | undefined): Promise<string> {
  const { options, network, queue, stats } = context;
  if (context.isStopping()) throw new PowRefusal('shuttingDown');
  stats.count('received');
  const priced = pricePrefix(prefix, { network, height, maxDifficulty: BigInt(options['max-difficulty']) });
  await takeFromBudget(context);
  const job = await queue.submit(priced);
  if (job === undefined) throw new PowRefusal('queueFull', { retryAfterSeconds: 1 });
  stats.count('accepted');
  return job.id;
}

/** Only prefixes worth working on use up the budget; one that then finds the queue full has used it all the same. */
async function takeFromBudget({ options, jobCounter, now }: PowContext): Promise<void> {
  const perMinute = options['max-jobs-per-minute'];
  if (perMinute === 0 || (await jobCounter.hit('all')) <= perMinute) return;
  throw new PowRefusal('globalLimit', { retryAfterSeconds: secondsToNextMinute(now()) });
}

function readSubmission(request: Request, maxWaitMs: number): Submission {
  const body = jsonBody(request);
  if (body === null || typeof body !== 'object' || Array.isArray(body) || typeof body['prefix'] !== 'string') {
    throw new PowRefusal('noPrefix');
  }
  const prefix = fromHex(body['prefix']);
  if (prefix === undefined) throw new PowRefusal('notHex');
  const wait = unsigned(body['wait_ms']);
  return {
    prefix,
    height: unsigned(body['height']),
    waitMs: wait === undefined ? queryWait(request, maxWaitMs) : Math.min(wait, maxWaitMs),
  };
}

const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A field counts only as an unsigned integer; one beyond 2^53 is as good as that. */
function unsigned(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'bigint' || value < 0n) return undefined;
  return Number(value < HIGHEST ? value : HIGHEST);
}
