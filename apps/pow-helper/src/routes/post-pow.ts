import { powHelperApi } from '@wrkz/api';
import { fromHex } from '@wrkz/core-types';
import { secondsToNextMinute } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import { pricePrefix } from '../prefix';
import { PowRefusal } from '../refusals';
import { answerWithJob, queryWait } from './job-answer';
import { declareRoute, KEY_AND_LIMIT } from './route';

const errors = powHelperApi.powErrors;

export const postPow = declareRoute({
  method: 'POST',
  path: '/pow',
  summary: 'Submits a serialized transaction prefix, and waits for its nonce as long as asked.',
  guards: KEY_AND_LIMIT,
  query: powHelperApi.waitQuery,
  body: powHelperApi.submission,
  answer: powHelperApi.jobAnswer,
  invalid: { prefix: errors.notHex },
  // notCanonical is not among them: so far the decoder refuses every other way to write a prefix
  errors: [
    errors.badJson,
    errors.noPrefix,
    errors.notHex,
    errors.shuttingDown,
    errors.tooShort,
    errors.notAPrefix,
    errors.noInputs,
    errors.noOutputs,
    errors.tooManyOutputs,
    errors.notKeyInput,
    errors.ringSize,
    errors.inputOverflow,
    errors.outputOverflow,
    errors.outputsExceedInputs,
    errors.zeroFee,
    errors.noNonceTag,
    errors.nothingNeeded,
    errors.tooDifficult,
    errors.globalLimit,
    errors.queueFull,
    errors.queueAway,
    errors.internal,
  ],
  handle: async (context, { body, query, gone }) => {
    const prefix = fromHex(body.prefix);
    if (prefix === undefined) throw new PowRefusal('notHex');
    const id = await submit(context, prefix, body.height, gone);
    cancelWhenGone(context, id, gone);
    return answerWithJob(context, id, body.wait_ms ?? queryWait(query), gone);
  },
});

/** Whoever leaves before the answer never learns the job's id, so nobody will ever ask for it. */
function cancelWhenGone({ queue }: PowContext, id: string, gone: AbortSignal): void {
  // A queue that is away keeps the job; nobody polls it, so it gives way.
  const cancel = (): void => void queue.cancel(id).catch(() => undefined);
  if (gone.aborted) cancel();
  else gone.addEventListener('abort', cancel, { once: true });
}

async function submit(
  context: PowContext,
  prefix: Buffer,
  height: number | undefined,
  gone: AbortSignal,
): Promise<string> {
  const { options, network, queue, stats } = context;
  if (context.isStopping()) throw new PowRefusal('shuttingDown');
  stats.count('received');
  const priced = pricePrefix(prefix, { network, height, maxDifficulty: BigInt(options['max-difficulty']) });
  await takeFromBudget(context);
  gone.throwIfAborted();
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
