import { daemonApi } from '@wrkz/api';
import { method } from '../declare';
import { refuse } from '../errors';
import { mainChainHeader } from './block-header';

const { coreBusy } = daemonApi.rpcErrors;

export const getlastblockheader = method({
  name: 'getlastblockheader',
  summary: 'The header of the tip.',
  labels: { mode: 'Default' },
  result: daemonApi.blockHeaderResult,
  errors: [coreBusy, daemonApi.refusals.internal],
  handle: (context) => {
    const header = context.reader.snapshot(() => mainChainHeader(context, context.reader.tip().height));
    if (header === undefined) throw refuse(coreBusy);
    return { block_header: header, status: 'OK' as const };
  },
});
