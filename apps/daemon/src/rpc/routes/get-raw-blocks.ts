import type { Route } from '../route';
import { readSyncRange } from './sync-request';

export const getRawBlocks: Route = {
  method: 'POST',
  path: '/getrawblocks',
  mode: 'Default',
  handle: async ({ queries, limits }, params) => {
    const range = readSyncRange(params, limits.maxBlockCount);
    const finished = await queries.run('rawBlocks', {
      ...range,
      skipCoinbase: params.optionalBoolean('skipCoinbaseTransactions', false),
    });
    return { finished };
  },
};
