import { discoverMethod } from '@wrkz/service-kit';
import { addressMethods } from './addresses';
import { containerMethods } from './container';
import { SERVICE_DESCRIPTION, type WalletRpcMethod } from './declare';
import { keyMethods } from './keys';
import { sendControlMethods } from './send-control';
import { sendMethods } from './sends';
import { statusMethods } from './status';
import { transactionMethods } from './transactions';

export const WALLET_METHODS: readonly WalletRpcMethod[] = [
  ...containerMethods,
  ...addressMethods,
  ...keyMethods,
  ...transactionMethods,
  ...sendMethods,
  ...sendControlMethods,
  ...statusMethods,
];

/** All methods, including `rpc.discover`. */
export const ALL_METHODS: readonly WalletRpcMethod[] = [
  ...WALLET_METHODS,
  discoverMethod(SERVICE_DESCRIPTION, () => ALL_METHODS),
];
