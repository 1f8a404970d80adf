import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';
import { blockRangeOf, queryBlocksErrors, queryBlocksInvalid } from './query-blocks';

export const queryBlocksLite = route({
  method: 'POST',
  path: '/queryblockslite',
  summary: 'Blocks from the last known one on: ids up to a day, then whole blocks without signatures.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain' },
  body: daemonApi.queryBlocksLiteRequest,
  answer: daemonApi.queryBlocksLiteAnswer,
  errors: queryBlocksErrors,
  invalid: queryBlocksInvalid,
  handle: async ({ queries }, request) =>
    new FinishedJson(await queries.run('queryBlocksLite', blockRangeOf(request.body), request)),
});
