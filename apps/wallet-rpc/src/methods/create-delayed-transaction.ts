import { walletRpcApi } from '@wrkz/api';
import { buildDelayed } from '../records/sending';
import { SEND_ERRORS } from '../records/send-request';
import { applicationErrors, declareWalletMethod } from '../declare';

export const createDelayedTransaction = declareWalletMethod({
  name: 'createDelayedTransaction',
  summary: 'Builds a transaction and keeps it until it is sent or deleted.',
  params: walletRpcApi.sendParams,
  paramsOptional: true,
  result: walletRpcApi.delayedResult,
  errors: applicationErrors(...SEND_ERRORS, 'internalError'),
  handle: (context, params) => buildDelayed(context, params),
});
