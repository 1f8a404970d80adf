import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';
import { refuse } from '../errors';
import { RANDOM_OUTS_LIMITS } from '../queries/random-outs';

const { tooManyOuts, tooManyAmounts, tooManyOutsInAll, noOutputs, answerTooLarge, overloaded, internal } =
  daemonApi.refusals;

export const getRandomOuts = route({
  method: 'POST',
  path: '/getrandom_outs',
  summary: 'Decoys for a ring: random unlocked outputs of each amount.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain' },
  body: daemonApi.randomOutsRequest,
  answer: daemonApi.randomOutsAnswer,
  errors: [tooManyOuts, tooManyAmounts, tooManyOutsInAll, noOutputs, answerTooLarge, overloaded, internal],
  checks: {
    amounts: (entries, { fields }) => checkSize(fields.outs_count ?? 0, entries.length),
  },
  handle: async ({ queries, now }, request) => {
    const { body } = request;
    const query = { amounts: body.amounts, count: body.outs_count, now: now() };
    return new FinishedJson(await queries.run('randomOuts', query, request));
  },
});

/** Refuses a request by its size before its entries are read. */
function checkSize(count: number, amounts: number): void {
  const { count: maxCount, amounts: maxAmounts, total } = RANDOM_OUTS_LIMITS;
  if (count > maxCount) throw refuse(tooManyOuts, { maximum: String(maxCount) });
  if (amounts > maxAmounts) throw refuse(tooManyAmounts, { maximum: String(maxAmounts) });
  if (count * amounts > total) throw refuse(tooManyOutsInAll, { maximum: String(total) });
}
