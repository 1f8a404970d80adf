import { walletRpcApi } from '@wrkz/api';
import { requireAllPlain } from '../records/own-address';
import { serviceTransactions } from '../records/transaction-record';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getUnconfirmedTransactionHashesMethod = declareWalletMethod({
  name: 'getUnconfirmedTransactionHashes',
  summary: 'Own sends and transactions of the pool that are in no block yet.',
  params: walletRpcApi.unconfirmedParams,
  paramsOptional: true,
  result: walletRpcApi.transactionHashList,
  errors: applicationErrors('badAddress'),
  handle: async (context, { addresses }) => {
    await requireAllPlain(addresses);
    const wanted = new Set(addresses);
    const record = serviceTransactions(context);
    const all = [...context.wallet.snapshot.unconfirmed(), ...context.pool.transactions];
    const found = all.filter(
      (transaction) => wanted.size === 0 || record(transaction).transfers.some(({ address }) => wanted.has(address)),
    );
    return { transactionHashes: found.map(({ hash }) => hash) };
  },
});
