import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';

const { tailBlockNotHex, transactionHashNotHex, overloaded, internal } = daemonApi.refusals;

export const getPoolChangesLite = route({
  method: 'POST',
  path: '/get_pool_changes_lite',
  summary: 'What the pool holds beyond the transactions that the caller knows, and which of those it does not hold.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'node' },
  body: daemonApi.poolChangesRequest,
  answer: daemonApi.poolChangesAnswer,
  errors: [tailBlockNotHex, transactionHashNotHex, overloaded, internal],
  invalid: { tailBlockId: tailBlockNotHex, knownTxsIds: transactionHashNotHex },
  handle: async ({ queries, pool, reader }, request) => {
    const { tailBlockId, knownTxsIds } = request.body;
    const changes = pool.changesSince(new Set(knownTxsIds.map((hash) => hash.toLowerCase())));
    const isTailActual = reader.tip().hash.equals(Buffer.from(tailBlockId, 'hex'));
    return new FinishedJson(await queries.run('poolChanges', { ...changes, isTailActual }, request));
  },
});
