import { JsonRpcError } from '../errors';
import type { Method } from '../route';
import { mainChainHeader } from './block-header';

const HEIGHT_TOO_BIG = -2;

export const getblockheaderbyheight: Method = {
  name: 'getblockheaderbyheight',
  mode: 'Default',
  handle: (context, request) => {
    const height = request.object('params').uint64('height');
    return context.reader.snapshot(() => {
      const top = context.reader.tip().height;
      const header = height <= BigInt(top) ? mainChainHeader(context, Number(height)) : undefined;
      if (header === undefined) {
        throw new JsonRpcError(
          HEIGHT_TOO_BIG,
          `Requested block header for a height that is higher than the current blockchain height! Current height: ${top}`,
        );
      }
      return { block_header: header, status: 'OK' };
    });
  },
};
