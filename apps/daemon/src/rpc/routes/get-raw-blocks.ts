import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';
import { syncRangeChecks, syncRangeErrors, syncRangeInvalid, syncRangeOf } from './sync-range';

export const getRawBlocks = route({
  method: 'POST',
  path: '/getrawblocks',
  summary: 'Whole blocks with their transactions, in hex.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain' },
  body: daemonApi.rawBlocksRequest,
  answer: daemonApi.rawBlocksAnswer,
  errors: syncRangeErrors,
  invalid: syncRangeInvalid,
  checks: syncRangeChecks,
  handle: async ({ queries, limits }, request) => {
    const { body } = request;
    const query = { ...syncRangeOf(body, limits.maxBlockCount), skipCoinbase: body.skipCoinbaseTransactions };
    return new FinishedJson(await queries.run('rawBlocks', query, request));
  },
});
