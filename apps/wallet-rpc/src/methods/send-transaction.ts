import { walletRpcApi } from '@wrkz/api';
import { sendNow } from '../records/sending';
import { SERVICE_SEND_ERRORS } from '../records/send-request';
import { applicationErrors, declareWalletMethod } from '../declare';

export const sendTransactionMethod = declareWalletMethod({
  name: 'sendTransaction',
  summary: 'Builds a transaction and gives it to the node.',
  params: walletRpcApi.sendParams,
  paramsOptional: true,
  result: walletRpcApi.sentResult,
  errors: applicationErrors(...SERVICE_SEND_ERRORS, 'badExtra', 'nodeTimeout', 'idempotencyKeyUnderWay'),
  handle: (context, params) => sendNow(context, params),
});
