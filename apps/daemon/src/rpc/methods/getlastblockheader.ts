import { JsonRpcError } from '../errors';
import type { Method } from '../route';
import { mainChainHeader } from './block-header';

const CORE_BUSY = -9;

export const getlastblockheader: Method = {
  name: 'getlastblockheader',
  mode: 'Default',
  handle: (context) => {
    const header = context.reader.snapshot(() => mainChainHeader(context, context.reader.tip().height));
    if (header === undefined) throw new JsonRpcError(CORE_BUSY, 'Chain is reorganizing, please retry shortly', 503);
    return { block_header: header, status: 'OK' };
  },
};
