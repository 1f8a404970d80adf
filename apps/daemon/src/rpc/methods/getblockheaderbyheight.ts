import { daemonApi } from '@wrkz/api';
import { method } from '../declare';
import { refuse } from '../errors';
import { mainChainHeader } from './block-header';

const { blockBelowFloor, heightTooBig } = daemonApi.rpcErrors;

export const getblockheaderbyheight = method({
  name: 'getblockheaderbyheight',
  summary: 'The header of the main-chain block at a height.',
  labels: { mode: 'Default', answeredFrom: 'chain' },
  params: daemonApi.blockHeaderByHeightParams,
  result: daemonApi.blockHeaderResult,
  errors: [heightTooBig, blockBelowFloor, daemonApi.refusals.internal],
  handle: (context, { height }) =>
    context.reader.snapshot(() => {
      const tip = context.reader.tip().height;
      const header = height <= tip ? mainChainHeader(context, height) : undefined;
      if (header === undefined) throw refuse(heightTooBig, { height: String(tip) });
      return { block_header: header, status: 'OK' as const };
    }),
});
