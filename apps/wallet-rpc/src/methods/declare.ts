import { walletRpcApi } from '@wrkz/api';
import { type Method, methodDeclarer, type ServiceDescription, VERSION } from '@wrkz/service-kit';
import type { WalletRpcContext } from '../context';

type ErrorName = keyof typeof walletRpcApi.walletRpcErrors;

export type WalletRpcMethod = Method<WalletRpcContext>;

export const declareWalletMethod = methodDeclarer<WalletRpcContext>();

export function applicationErrors(...names: readonly ErrorName[]): walletRpcApi.WalletRpcError[] {
  return names.map((name) => walletRpcApi.walletRpcErrors[name]);
}

const { password, params, unexpected } = walletRpcApi.walletRpcEnvelopeErrors;

/** Head of the OpenRPC document, and the errors shared by all methods. */
export const SERVICE_DESCRIPTION: ServiceDescription<WalletRpcContext, unknown> = {
  title: 'WrkzCoin wallet over JSON-RPC',
  version: VERSION,
  description:
    'One container over POST /json_rpc. Amounts are in atomic units. Params are always an object; the password is a field ' +
    'beside them. Errors of the wallet have the code -32700 and a number in data.application_code. An array of requests ' +
    'is executed only with the header X-JSON-RPC-Batch: 1.',
  errorBody: walletRpcApi.walletRpcResponse,
  methodErrors: () => [password, params, unexpected],
};
