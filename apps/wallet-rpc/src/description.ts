import { walletRpcApi } from '@wrkz/api';
import { type ServiceDescription, VERSION } from '@wrkz/service-kit';
import type { WalletRpcContext } from './context';

const { password, params, unexpected } = walletRpcApi.walletRpcEnvelopeErrors;

/** The head of the service's document, and the errors that every method shares. */
export const SERVICE_DESCRIPTION: ServiceDescription<WalletRpcContext, unknown> = {
  title: 'WrkzCoin wallet over JSON-RPC',
  version: VERSION,
  description:
    'One container over POST /json_rpc. Amounts are atomic units. Params are always an object; the password stands beside ' +
    'them. Errors of the wallet have the code -32700 and a number in data.application_code. An array of requests is ' +
    'answered only with the header X-JSON-RPC-Batch: 1.',
  errorBody: walletRpcApi.walletRpcAnswer,
  methodErrors: () => [password, params, unexpected],
};
