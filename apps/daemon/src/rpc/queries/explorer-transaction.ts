import { daemonApi } from '@wrkz/api';
import { CorruptDatabase } from '@wrkz/chain-db';
import { parseTransaction } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit/base';
import { orRefuseBelowFloor } from '../below-floor';
import { refuse } from '../errors';
import { blockRow } from '../records/block-row';
import { explorerTransaction } from '../records/explorer-transaction';
import type { Query } from './query';

export interface ExplorerTransactionQuery {
  readonly hash: Buffer;
}

/** The result of `f_transaction_json`. Transactions of the pool are not looked for. */
export const explorerTransactionQuery: Query<ExplorerTransactionQuery> = {
  isHeavy: () => false,
  answer: ({ reader }, { hash }) =>
    orRefuseBelowFloor(daemonApi.rpcErrors.blockBelowFloor, () =>
      reader.snapshot(() => {
        const found = reader.transaction(hash);
        if (found === undefined) throw refuse(daemonApi.rpcErrors.transactionUnknown);
        const facts = reader.facts(found.height);
        const raw = reader.rawBlock(found.height);
        if (facts === undefined || raw === undefined) throw new CorruptDatabase(`block ${found.height} is missing`);
        const told = explorerTransaction(parseTransaction(found.bytes));
        return Buffer.from(stringifyJson({ block: blockRow(raw, facts), status: 'OK', ...told }), 'latin1');
      }),
    ),
};
