import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';

const { belowFloor, txidNotHex, noOutputIndexes, overloaded, internal } = daemonApi.refusals;

export const getOIndexes = route({
  method: 'POST',
  path: '/get_o_indexes',
  summary: 'The global indexes of the outputs of one transaction; /get_global_indexes_for_range hides which is meant.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain' },
  body: daemonApi.outputIndexesRequest,
  answer: daemonApi.outputIndexesAnswer,
  errors: [txidNotHex, noOutputIndexes, belowFloor, overloaded, internal],
  invalid: { txid: txidNotHex },
  handle: async ({ queries }, request) => {
    const hash = Buffer.from(request.body.txid, 'hex');
    return new FinishedJson(await queries.run('outputIndexes', { hash }, request));
  },
});
