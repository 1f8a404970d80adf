import { daemonApi } from '@wrkz/api';
import { fromHex } from '@wrkz/core-types';
import { cnFastHash } from '@wrkz/crypto';
import { GUARDED, route } from '../declare';

export const sendRawTransaction = route({
  method: 'POST',
  path: '/sendrawtransaction',
  summary: 'Hands a transaction to the pool, which relays it when it is taken.',
  guards: GUARDED,
  labels: { mode: 'Default', needsSync: true, answeredFrom: 'node' },
  body: daemonApi.sendRawTransactionRequest,
  answer: daemonApi.sendRawTransactionAnswer,
  errors: [daemonApi.refusals.internal],
  handle: async ({ pool }, { body }) => {
    const bytes = fromHex(body.tx_as_hex);
    if (bytes === undefined) return { error: 'Failed to parse transaction from hex buffer', status: 'Failed' as const };
    const { error } = await pool.submit(bytes);
    return {
      error: error ?? '',
      status: error === undefined ? ('OK' as const) : ('Failed' as const),
      transactionHash: cnFastHash(bytes).toString('hex'),
    };
  },
});
