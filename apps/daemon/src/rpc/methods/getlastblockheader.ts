import { daemonApi } from '@wrkz/api';
import { method } from '../declare';
import { refuse } from '../errors';
import { readNow } from '../readable';
import { mainChainHeader } from './block-header';

const { blockBelowFloor, coreBusy } = daemonApi.rpcErrors;

export const getlastblockheader = method({
  name: 'getlastblockheader',
  summary: 'The header of the tip.',
  labels: { mode: 'Default', answeredFrom: 'chain' },
  result: daemonApi.blockHeaderResult,
  errors: [coreBusy, blockBelowFloor, daemonApi.refusals.internal],
  handle: (context) => {
    const { reader } = context;
    const busy = (): Error => refuse(coreBusy);
    const header = readNow(() => reader.snapshot(() => mainChainHeader(context, reader.tip().height)), busy);
    if (header === undefined) throw busy();
    return { block_header: header, status: 'OK' as const };
  },
});
