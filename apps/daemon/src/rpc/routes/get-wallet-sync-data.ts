import { refusals } from '../errors';
import type { Route } from '../route';
import { cut, readSyncRange } from './sync-request';

export const getWalletSyncData: Route = {
  method: 'POST',
  path: '/getwalletsyncdata',
  mode: 'Default',
  handle: async ({ queries, limits }, params) => {
    const range = readSyncRange(params, limits.maxBlockCount);
    const encoding = params.optionalString('encoding', 'hex');
    if (encoding !== 'hex' && encoding !== 'base64') {
      throw refusals.badRequest("encoding must be either 'hex' or 'base64'");
    }
    const finished = await queries.run('walletSyncData', {
      ...range,
      skipCoinbase: params.optionalBoolean('skipCoinbaseTransactions', false),
      skipKeyOffsets: params.optionalBoolean('skipInputKeyOffsets', false),
      skipEmpty: params.optionalBoolean('skipEmptyBlocks', false),
      endHeight: cut(params.optionalUint64('endHeight', 0n)),
      encoding,
    });
    return { finished };
  },
};
