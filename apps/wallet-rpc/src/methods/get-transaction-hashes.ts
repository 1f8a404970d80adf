import { walletRpcApi } from '@wrkz/api';
import { windowItems } from '../records/window';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getTransactionHashesMethod = declareWalletMethod({
  name: 'getTransactionHashes',
  summary: 'Hashes of the transactions of a run of blocks, by block.',
  params: walletRpcApi.windowParams,
  paramsOptional: true,
  result: walletRpcApi.hashItems,
  errors: applicationErrors(
    'badAddress',
    'wrongPaymentId',
    'wrongHash',
    'wrongParameters',
    'unknownObject',
    'nodeAway',
  ),
  handle: (context, params) =>
    windowItems(context, params, 'transactionHashes', ({ transactionHash }) => transactionHash),
});
