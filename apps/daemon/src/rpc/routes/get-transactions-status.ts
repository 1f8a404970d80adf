import { daemonApi } from '@wrkz/api';
import { GUARDED, route } from '../declare';

const { transactionHashNotHex, overloaded, internal } = daemonApi.refusals;

export const getTransactionsStatus = route({
  method: 'POST',
  path: '/get_transactions_status',
  summary: 'Where transactions are: in a block, in the pool, or nowhere that this node knows.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'node' },
  body: daemonApi.transactionsStatusRequest,
  answer: daemonApi.transactionsStatusAnswer,
  errors: [transactionHashNotHex, overloaded, internal],
  invalid: { transactionHashes: transactionHashNotHex },
  handle: async ({ queries, pool }, request) => {
    const { body } = request;
    // Each asked hash is told once, as the reference's sets do.
    const asked = new Set(body.transactionHashes.map((hash) => hash.toLowerCase()));
    const inPool = takeWhere(asked, (hex) => pool.has(Buffer.from(hex, 'hex')));
    const answer = await queries.run('findTransactions', { hashes: [...asked] }, request);
    const found = new Set(JSON.parse(answer.toString('latin1')) as string[]);
    const inBlock = takeWhere(asked, (hex) => found.has(hex));
    // A reorganisation may have brought one back while the chain was asked.
    inPool.push(...takeWhere(asked, (hex) => pool.has(Buffer.from(hex, 'hex'))));
    return {
      status: 'OK' as const,
      transactionsInBlock: inBlock,
      transactionsInPool: inPool,
      transactionsUnknown: [...asked],
    };
  },
});

/** Moves the members that fit out of the set, in its order. */
function takeWhere(set: Set<string>, fits: (member: string) => boolean): string[] {
  const taken = [...set].filter(fits);
  for (const member of taken) set.delete(member);
  return taken;
}
