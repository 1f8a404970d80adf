import { cnFastHash } from '@wrkz/crypto';
import { fromHex } from '@wrkz/core-types';
import type { Route } from '../route';

export const sendRawTransaction: Route = {
  method: 'POST',
  path: '/sendrawtransaction',
  mode: 'Default',
  needsSync: true,
  handle: async ({ pool }, params) => {
    const bytes = fromHex(params.string('tx_as_hex'));
    if (bytes === undefined) return { error: 'Failed to parse transaction from hex buffer', status: 'Failed' };
    const { error } = await pool.submit(bytes);
    return {
      error: error ?? '',
      status: error === undefined ? 'OK' : 'Failed',
      transactionHash: cnFastHash(bytes).toString('hex'),
    };
  },
};
