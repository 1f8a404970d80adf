import { daemonApi } from '@wrkz/api';
import { plainPaymentId } from '@wrkz/chain-db';
import { isHash64, SHORT_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import { EventLoopYielder, FinishedJson } from '@wrkz/service-kit';
import { method } from '../declare';
import { refuse } from '../errors';
import type { PoolStatus } from '../ports';

const { shortPaymentId, paymentIdNotHex } = daemonApi.rpcErrors;
const { overloaded, internal } = daemonApi.refusals;

export const fTransactionsByPaymentIdJson = method({
  name: 'f_transactions_by_payment_id_json',
  summary: 'The transactions that carry a plain payment id.',
  labels: { mode: 'BlockExplorerEnabled', answeredFrom: 'node' },
  params: daemonApi.paymentIdParams,
  result: daemonApi.paymentIdResult,
  errors: [shortPaymentId, paymentIdNotHex, overloaded, internal],
  checks: {
    paymentId: (text) => {
      if (text.length === SHORT_PAYMENT_ID_LENGTH) throw refuse(shortPaymentId);
      if (!isHash64(text)) throw refuse(paymentIdNotHex);
    },
  },
  handle: async ({ queries, pool, limits }, params, request) => {
    const paymentId = Buffer.from(params.paymentId, 'hex');
    const waiting = await carriersIn(pool, paymentId, request.gone);
    const query = { paymentId, limit: limits.maxBlockCount, waiting };
    return new FinishedJson(await queries.run('paymentIdTransactions', query, request));
  },
});

/** Hashes of the transactions of the pool that carry this id, in the order of priority. */
async function carriersIn(pool: PoolStatus, paymentId: Buffer, gone: AbortSignal): Promise<Buffer[]> {
  const yielder = new EventLoopYielder();
  const hashes: Buffer[] = [];
  for (const { parsed } of [...pool.list()]) {
    if (plainPaymentId(parsed.transaction.extra)?.equals(paymentId) === true) hashes.push(parsed.hash);
    await yielder.yieldIfDue();
    gone.throwIfAborted();
  }
  return hashes;
}
