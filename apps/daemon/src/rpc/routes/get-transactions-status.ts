import { daemonApi } from '@wrkz/api';
import { mapInSlices } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';

const { transactionHashNotHex, overloaded, internal } = daemonApi.refusals;

export const getTransactionsStatus = route({
  method: 'POST',
  path: '/get_transactions_status',
  summary: 'Status of transactions: in a block, in the pool, or unknown.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'node' },
  body: daemonApi.transactionsStatusRequest,
  answer: daemonApi.transactionsStatusAnswer,
  errors: [transactionHashNotHex, overloaded, internal],
  invalid: { transactionHashes: transactionHashNotHex },
  handle: async ({ queries, pool }, request) => {
    const { body } = request;
    // Each hash is in one list once, as in the C++ daemon.
    const unknown = new Set(await mapInSlices(body.transactionHashes, (hash) => hash.toLowerCase()));
    const isPooled = (hex: string): boolean => pool.has(Buffer.from(hex, 'hex'));
    const inPool = await takeWhere(unknown, isPooled);
    const answer = await queries.run('findTransactions', { hashes: [...unknown] }, request);
    const found = new Set(JSON.parse(answer.toString('latin1')) as string[]);
    const inBlock = await takeWhere(unknown, (hex) => found.has(hex));
    // A reorganisation may have returned some to the pool meanwhile.
    inPool.push(...(await takeWhere(unknown, isPooled)));
    return {
      status: 'OK' as const,
      transactionsInBlock: inBlock,
      transactionsInPool: inPool,
      transactionsUnknown: [...unknown],
    };
  },
});

/** Moves the matching hashes out of the set, in its order. */
async function takeWhere(hashes: Set<string>, matches: (hash: string) => boolean): Promise<string[]> {
  const taken = await mapInSlices([...hashes], (hash) => (matches(hash) && hashes.delete(hash) ? hash : undefined));
  return taken.filter((hash) => hash !== undefined);
}
