import { JsonRpcError } from '../errors';
import { hashFrom } from '../params';
import type { Method } from '../route';
import { blockHeader, mainChainHeader } from './block-header';

const WRONG_PARAMETER = -1;
const NOT_FOUND = -5;

export const getblockheaderbyhash: Method = {
  name: 'getblockheaderbyhash',
  mode: 'Default',
  handle: (context, request) => {
    const hash = hashFrom(request.object('params').string('hash'));
    if (hash === undefined) throw new JsonRpcError(WRONG_PARAMETER, 'Block hash specified is not a valid hex!');
    const { reader } = context;
    return reader.snapshot(() => {
      const height = reader.heightOf(hash);
      const header = height === undefined ? alternativeHeader() : mainChainHeader(context, height);
      if (header === undefined) throw new JsonRpcError(NOT_FOUND, 'Block hash specified does not exist!');
      return { block_header: header, status: 'OK' };
    });

    function alternativeHeader(): object | undefined {
      const found = reader.alternative(hash as Buffer);
      return found && blockHeader(found.raw, found.facts, reader.tip().height, true);
    }
  },
};
