import { daemonApi, integer } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';
import { refuse } from '../errors';

const { invertedRange, rangeTooLong, belowFloor, answerTooLarge, overloaded, internal } = daemonApi.refusals;

export const getGlobalIndexesForRange = route({
  method: 'POST',
  path: '/get_global_indexes_for_range',
  summary: 'The global indexes of all outputs of a run of blocks.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain' },
  body: daemonApi.globalIndexesRequest,
  answer: daemonApi.globalIndexesAnswer,
  errors: [invertedRange, rangeTooLong, belowFloor, answerTooLarge, overloaded, internal],
  handle: async ({ queries, limits }, request) => {
    const { startHeight: start, endHeight: end } = request.body;
    if (end < start) throw refuse(invertedRange);
    if (end - start >= BigInt(limits.maxGlobalIndexRange)) throw refuse(rangeTooLong);
    // both to the last digit until here: the difference of two cut ones would be another
    const query = { start: integer.decode(start), end: integer.decode(end) };
    return new FinishedJson(await queries.run('globalIndexes', query, request));
  },
});
