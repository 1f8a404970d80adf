import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { method } from '../declare';

const { overloaded, internal } = daemonApi.refusals;

export const fBlocksListJson = method({
  name: 'f_blocks_list_json',
  summary: 'The main-chain block at a height and up to 30 below it, in a line each.',
  labels: { mode: 'BlockExplorerEnabled', answeredFrom: 'chain' },
  params: daemonApi.blocksListParams,
  result: daemonApi.blocksListResult,
  errors: [daemonApi.rpcErrors.heightTooBig, daemonApi.rpcErrors.blockBelowFloor, overloaded, internal],
  handle: async ({ queries }, { height }, request) =>
    new FinishedJson(await queries.run('blocksList', { height }, request)),
});
