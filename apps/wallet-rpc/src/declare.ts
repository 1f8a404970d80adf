import { walletRpcApi } from '@wrkz/api';
import { methodDeclarer, type Method } from '@wrkz/service-kit';
import type { WalletRpcContext } from './context';

type ErrorName = keyof typeof walletRpcApi.walletRpcErrors;

export type WalletRpcMethod = Method<WalletRpcContext>;

/** Declares a method of the service; its file is named after it. */
export const declareWalletMethod = methodDeclarer<WalletRpcContext>();

/** Rows of the table of application errors. */
export function applicationErrors(...names: readonly ErrorName[]): walletRpcApi.WalletRpcError[] {
  return names.map((name) => walletRpcApi.walletRpcErrors[name]);
}
