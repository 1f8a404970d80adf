import { walletRpcApi } from '@wrkz/api';
import { buildDelayed } from '../records/sending';
import { SERVICE_SEND_ERRORS } from '../records/send-request';
import { applicationErrors, declareWalletMethod } from '../declare';

export const createDelayedTransactionMethod = declareWalletMethod({
  name: 'createDelayedTransaction',
  summary: 'Builds a transaction and keeps it until it is sent or deleted.',
  params: walletRpcApi.sendParams,
  paramsOptional: true,
  result: walletRpcApi.delayedResult,
  errors: applicationErrors(...SERVICE_SEND_ERRORS, 'internalError'),
  handle: (context, params) => buildDelayed(context, params),
});
