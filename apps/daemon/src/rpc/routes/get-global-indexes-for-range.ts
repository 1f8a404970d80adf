import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';
import { refuse } from '../errors';

const { invertedRange, rangeTooLong, internal } = daemonApi.refusals;

export const getGlobalIndexesForRange = route({
  method: 'POST',
  path: '/get_global_indexes_for_range',
  summary: 'The global indexes of all outputs of a run of blocks.',
  guards: GUARDED,
  labels: { mode: 'Default' },
  body: daemonApi.globalIndexesRequest,
  answer: daemonApi.globalIndexesAnswer,
  errors: [invertedRange, rangeTooLong, internal],
  handle: async ({ queries, limits }, { body: { startHeight: start, endHeight: end } }) => {
    if (end < start) throw refuse(invertedRange);
    if (end - start >= limits.maxGlobalIndexRange) throw refuse(rangeTooLong);
    return new FinishedJson(await queries.run('globalIndexes', { start, end }));
  },
});
