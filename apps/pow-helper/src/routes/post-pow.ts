import { POW_ERRORS, powJobAnswer, powSubmission, powWaitQuery } from '@wrkz/api';
import { fromHex } from '@wrkz/core-types';
import { secondsToNextMinute } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import { pricePrefix } from '../prefix';
import { PowRefusal } from '../refusals';
import { answerWithJob, queryWait } from './job-answer';
import { declareRoute, KEY_AND_LIMIT } from './route';

export const postPow = declareRoute({
  method: 'POST',
  path: '/pow',
  summary: 'Submits a serialized transaction prefix, and waits for its nonce as long as asked.',
  guards: KEY_AND_LIMIT,
  query: powWaitQuery,
  body: powSubmission,
  answer: powJobAnswer,
  invalid: { prefix: POW_ERRORS.notHex },
  errors: [
    POW_ERRORS.badJson,
    POW_ERRORS.noPrefix,
    POW_ERRORS.notHex,
    POW_ERRORS.shuttingDown,
    POW_ERRORS.tooShort,
    POW_ERRORS.notAPrefix,
    POW_ERRORS.notCanonical,
    POW_ERRORS.noInputs,
    POW_ERRORS.noOutputs,
    POW_ERRORS.tooManyOutputs,
    POW_ERRORS.notKeyInput,
    POW_ERRORS.ringSize,
    POW_ERRORS.inputOverflow,
    POW_ERRORS.outputOverflow,
    POW_ERRORS.outputsExceedInputs,
    POW_ERRORS.zeroFee,
    POW_ERRORS.noNonceTag,
    POW_ERRORS.nothingNeeded,
    POW_ERRORS.tooDifficult,
    POW_ERRORS.globalLimit,
    POW_ERRORS.queueFull,
  ],
  handle: async (context, { body, query, gone }) => {
    const prefix = fromHex(body.prefix);
    if (prefix === undefined) throw new PowRefusal('notHex');
    const id = await submit(context, prefix, body.height === undefined ? undefined : safeNumber(body.height));
    const waitMs =
      body.wait_ms === undefined
        ? queryWait(context, query)
        : Math.min(safeNumber(body.wait_ms), context.options['max-wait-ms']);
    return answerWithJob(context, id, waitMs, gone);
  },
});

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

const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER);

/** For heights and milliseconds whatever lies beyond 2^53 is as good as that. */
function safeNumber(value: bigint): number {
  return Number(value < HIGHEST ? value : HIGHEST);
}
