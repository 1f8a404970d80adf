import { walletRpcApi } from '@wrkz/api';
import { sendWaiting } from '../records/sending';
import { applicationErrors, declareWalletMethod } from '../declare';

export const sendDelayedTransactionMethod = declareWalletMethod({
  name: 'sendDelayedTransaction',
  summary: 'Gives a transaction that waits to the node.',
  params: walletRpcApi.sendDelayedParams,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors(
    'wrongHash',
    'unknownObject',
    'cannotTransfer',
    'nodeRefused',
    'nodeAway',
    'nodeTimeout',
    'idempotencyKeyReused',
    'idempotencyKeyUnderWay',
  ),
  handle: (context, params) => sendWaiting(context, params),
});
