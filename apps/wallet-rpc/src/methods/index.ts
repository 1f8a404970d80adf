import { discoverMethod } from '@wrkz/service-kit';
import {
  createAddressListMethod,
  createAddressMethod,
  createIntegratedAddressMethod,
  deleteAddressMethod,
  getAddressesMethod,
  getBalanceMethod,
} from './addresses';
import { exportContainerMethod, resetMethod, saveMethod } from './container';
import { SERVICE_DESCRIPTION, type WalletRpcMethod } from './declare';
import { getMnemonicSeedMethod, getSpendKeysMethod, getViewKeyMethod } from './keys';
import { giveUpTransactionMethod, pauseSendsMethod, resumeSendsMethod } from './send-control';
import {
  createDelayedTransactionMethod,
  deleteDelayedTransactionMethod,
  getDelayedTransactionHashesMethod,
  sendDelayedTransactionMethod,
  sendTransactionMethod,
} from './sends';
import { getBlockHashesMethod, getFeeInfoMethod, getNodeFeeInfoMethod, getStatusMethod } from './status';
import {
  getTransactionHashesMethod,
  getTransactionMethod,
  getTransactionsMethod,
  getUnconfirmedTransactionHashesMethod,
} from './transactions';

/** The methods of the C++ program in its order, then the additional ones. */
export const WALLET_METHODS: readonly WalletRpcMethod[] = [
  saveMethod,
  exportContainerMethod,
  resetMethod,
  createAddressMethod,
  createAddressListMethod,
  deleteAddressMethod,
  getSpendKeysMethod,
  getBalanceMethod,
  getBlockHashesMethod,
  getTransactionHashesMethod,
  getTransactionsMethod,
  getUnconfirmedTransactionHashesMethod,
  getTransactionMethod,
  sendTransactionMethod,
  createDelayedTransactionMethod,
  getDelayedTransactionHashesMethod,
  deleteDelayedTransactionMethod,
  sendDelayedTransactionMethod,
  getViewKeyMethod,
  getMnemonicSeedMethod,
  getStatusMethod,
  getAddressesMethod,
  createIntegratedAddressMethod,
  getFeeInfoMethod,
  getNodeFeeInfoMethod,
  pauseSendsMethod,
  resumeSendsMethod,
  giveUpTransactionMethod,
];

/** All methods, including `rpc.discover`. */
export const ALL_METHODS: readonly WalletRpcMethod[] = [
  ...WALLET_METHODS,
  discoverMethod(SERVICE_DESCRIPTION, () => ALL_METHODS),
];
