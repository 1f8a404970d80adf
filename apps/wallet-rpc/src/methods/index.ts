import { discoverMethod } from '@wrkz/service-kit';
import type { WalletRpcMethod } from '../declare';
import { SERVICE_DESCRIPTION } from '../description';
import { createAddressMethod } from './create-address';
import { createAddressListMethod } from './create-address-list';
import { createDelayedTransactionMethod } from './create-delayed-transaction';
import { createIntegratedAddressMethod } from './create-integrated-address';
import { deleteAddressMethod } from './delete-address';
import { deleteDelayedTransactionMethod } from './delete-delayed-transaction';
import { exportContainerMethod } from './export';
import { getAddressesMethod } from './get-addresses';
import { getBalanceMethod } from './get-balance';
import { getBlockHashesMethod } from './get-block-hashes';
import { getDelayedTransactionHashesMethod } from './get-delayed-transaction-hashes';
import { getFeeInfoMethod } from './get-fee-info';
import { getMnemonicSeedMethod } from './get-mnemonic-seed';
import { getNodeFeeInfoMethod } from './get-node-fee-info';
import { getSpendKeysMethod } from './get-spend-keys';
import { getStatusMethod } from './get-status';
import { getTransactionMethod } from './get-transaction';
import { getTransactionHashesMethod } from './get-transaction-hashes';
import { getTransactionsMethod } from './get-transactions';
import { getUnconfirmedTransactionHashesMethod } from './get-unconfirmed-transaction-hashes';
import { getViewKeyMethod } from './get-view-key';
import { resetMethod } from './reset';
import { saveMethod } from './save';
import { sendDelayedTransactionMethod } from './send-delayed-transaction';
import { sendTransactionMethod } from './send-transaction';

/** The methods of the reference, in its order. */
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
];

/** Every method, `rpc.discover` among them. */
export const ALL_METHODS: readonly WalletRpcMethod[] = [
  ...WALLET_METHODS,
  discoverMethod(SERVICE_DESCRIPTION, () => ALL_METHODS),
];
