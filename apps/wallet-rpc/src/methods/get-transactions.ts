import { walletRpcApi } from '@wrkz/api';
import { windowItems } from '../records/window';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getTransactionsMethod = declareWalletMethod({
  name: 'getTransactions',
  summary: 'The transactions of a run of blocks, by block.',
  params: walletRpcApi.windowParams,
  paramsOptional: true,
  result: walletRpcApi.transactionItems,
  errors: applicationErrors(
    'badAddress',
    'wrongPaymentId',
    'wrongHash',
    'wrongParameters',
    'unknownObject',
    'nodeAway',
  ),
  handle: (context, params) => windowItems(context, params, 'transactions', (record) => record),
});
