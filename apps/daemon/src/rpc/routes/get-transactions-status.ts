import { refusals } from '../errors';
import { asString, hashFrom } from '../params';
import type { Route } from '../route';

export const getTransactionsStatus: Route = {
  method: 'POST',
  path: '/get_transactions_status',
  mode: 'Default',
  handle: ({ reader, pool }, params) => {
    // Each asked hash is told once, as the reference's sets do.
    const asked = new Set(
      params.array('transactionHashes').map((entry) => {
        const hash = hashFrom(asString(entry));
        if (hash === undefined) throw refusals.badRequest('Transaction hash specified is not a valid hex string!');
        return hash.toString('hex');
      }),
    );
    const inBlock: string[] = [];
    const inPool: string[] = [];
    const unknown: string[] = [];
    reader.snapshot(() => {
      for (const hex of asked) {
        const hash = Buffer.from(hex, 'hex');
        if (pool.has(hash)) inPool.push(hex);
        else if (reader.hasTransaction(hash)) inBlock.push(hex);
        else unknown.push(hex);
      }
    });
    return {
      status: 'OK',
      transactionsInBlock: inBlock,
      transactionsInPool: inPool,
      transactionsUnknown: unknown,
    };
  },
};
