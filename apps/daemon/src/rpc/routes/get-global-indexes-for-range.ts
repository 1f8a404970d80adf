import { refusals } from '../errors';
import type { Route } from '../route';
import { cut } from './sync-request';

export const getGlobalIndexesForRange: Route = {
  method: 'POST',
  path: '/get_global_indexes_for_range',
  mode: 'Default',
  handle: async ({ queries, limits }, params) => {
    const start = params.uint64('startHeight');
    const end = params.uint64('endHeight');
    if (end < start) throw refusals.badRequest('endHeight must be >= startHeight');
    if (end - start >= BigInt(limits.maxGlobalIndexRange)) {
      throw refusals.badRequest('Requested range exceeds rpc-max-global-index-range');
    }
    return { finished: await queries.run('globalIndexes', { start: cut(start), end: cut(end) }) };
  },
};
