import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';
import { syncRangeChecks, syncRangeErrors, syncRangeInvalid, syncRangeOf } from './sync-range';

const { unknownEncoding } = daemonApi.refusals;

export const getWalletSyncData = route({
  method: 'POST',
  path: '/getwalletsyncdata',
  summary: 'What a wallet needs of a run of blocks to find its own outputs in them.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain' },
  body: daemonApi.walletSyncDataRequest,
  answer: daemonApi.walletSyncDataAnswer,
  errors: [...syncRangeErrors, unknownEncoding],
  invalid: { ...syncRangeInvalid, encoding: unknownEncoding },
  checks: syncRangeChecks,
  handle: async ({ queries, limits }, request) => {
    const { body } = request;
    const query = {
      ...syncRangeOf(body, limits.maxBlockCount),
      skipCoinbase: body.skipCoinbaseTransactions,
      skipKeyOffsets: body.skipInputKeyOffsets,
      skipEmpty: body.skipEmptyBlocks,
      endHeight: body.endHeight,
      encoding: body.encoding,
    };
    return new FinishedJson(await queries.run('walletSyncData', query, request));
  },
});
