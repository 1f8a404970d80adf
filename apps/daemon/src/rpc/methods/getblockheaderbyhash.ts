import { daemonApi } from '@wrkz/api';
import { method } from '../declare';
import { refuse } from '../errors';
import type { RpcContext } from '../ports';
import { blockHeader, mainChainHeader, type BlockHeader } from './block-header';

const { blockBelowFloor, blockHashNotHex, blockUnknown } = daemonApi.rpcErrors;

export const getblockheaderbyhash = method({
  name: 'getblockheaderbyhash',
  summary: 'The header of a block, on the main chain or beside it.',
  labels: { mode: 'Default', answeredFrom: 'chain' },
  params: daemonApi.blockHeaderByHashParams,
  result: daemonApi.blockHeaderResult,
  errors: [blockHashNotHex, blockUnknown, blockBelowFloor, daemonApi.refusals.internal],
  invalid: { hash: blockHashNotHex },
  handle: (context, params) => {
    const hash = Buffer.from(params.hash, 'hex');
    return context.reader.snapshot(() => {
      const height = context.reader.heightOf(hash);
      const header = height === undefined ? alternativeHeader(context, hash) : mainChainHeader(context, height);
      if (header === undefined) throw refuse(blockUnknown);
      return { block_header: header, status: 'OK' as const };
    });
  },
});

function alternativeHeader({ reader }: RpcContext, hash: Buffer): BlockHeader | undefined {
  const found = reader.alternative(hash);
  return found && blockHeader(found.raw, found.facts, reader.tip().height, true);
}
