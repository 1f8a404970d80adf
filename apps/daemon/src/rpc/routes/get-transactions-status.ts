import { refusals } from '../errors';
import { asString, hashFrom } from '../params';
import type { Route } from '../route';

export const getTransactionsStatus: Route = {
  method: 'POST',
  path: '/get_transactions_status',
  mode: 'Default',
  handle: async ({ queries, pool }, params) => {
    // Each asked hash is told once, as the reference's sets do.
    const asked = new Set(
      params.array('transactionHashes').map((entry) => {
        const hash = hashFrom(asString(entry));
        if (hash === undefined) throw refusals.badRequest('Transaction hash specified is not a valid hex string!');
        return hash.toString('hex');
      }),
    );
    const inPool = takeWhere(asked, (hex) => pool.has(Buffer.from(hex, 'hex')));
    const found = new Set(JSON.parse(await queries.run('findTransactions', { hashes: [...asked] })) as string[]);
    const inBlock = takeWhere(asked, (hex) => found.has(hex));
    // A reorganisation may have brought one back while the chain was asked.
    inPool.push(...takeWhere(asked, (hex) => pool.has(Buffer.from(hex, 'hex'))));
    return {
      status: 'OK',
      transactionsInBlock: inBlock,
      transactionsInPool: inPool,
      transactionsUnknown: [...asked],
    };
  },
};

/** Moves the members that fit out of the set, in its order. */
function takeWhere(set: Set<string>, fits: (member: string) => boolean): string[] {
  const taken = [...set].filter(fits);
  for (const member of taken) set.delete(member);
  return taken;
}
