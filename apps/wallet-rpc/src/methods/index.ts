import { discoverMethod } from '@wrkz/service-kit';
import type { WalletRpcMethod } from '../declare';
import { SERVICE_DESCRIPTION } from '../description';
import { createAddress } from './create-address';
import { createAddressList } from './create-address-list';
import { createDelayedTransaction } from './create-delayed-transaction';
import { createIntegratedAddress } from './create-integrated-address';
import { deleteAddress } from './delete-address';
import { deleteDelayedTransaction } from './delete-delayed-transaction';
import { exportContainer } from './export';
import { getAddresses } from './get-addresses';
import { getBalance } from './get-balance';
import { getBlockHashes } from './get-block-hashes';
import { getDelayedTransactionHashes } from './get-delayed-transaction-hashes';
import { getFeeInfo } from './get-fee-info';
import { getMnemonicSeed } from './get-mnemonic-seed';
import { getNodeFeeInfo } from './get-node-fee-info';
import { getSpendKeys } from './get-spend-keys';
import { getStatus } from './get-status';
import { getTransaction } from './get-transaction';
import { getTransactionHashes } from './get-transaction-hashes';
import { getTransactions } from './get-transactions';
import { getUnconfirmedTransactionHashes } from './get-unconfirmed-transaction-hashes';
import { getViewKey } from './get-view-key';
import { reset } from './reset';
import { save } from './save';
import { sendDelayedTransaction } from './send-delayed-transaction';
import { sendTransaction } from './send-transaction';

/** The methods of the reference, in its order. */
export const WALLET_METHODS: readonly WalletRpcMethod[] = [
  save,
  exportContainer,
  reset,
  createAddress,
  createAddressList,
  deleteAddress,
  getSpendKeys,
  getBalance,
  getBlockHashes,
  getTransactionHashes,
  getTransactions,
  getUnconfirmedTransactionHashes,
  getTransaction,
  sendTransaction,
  createDelayedTransaction,
  getDelayedTransactionHashes,
  deleteDelayedTransaction,
  sendDelayedTransaction,
  getViewKey,
  getMnemonicSeed,
  getStatus,
  getAddresses,
  createIntegratedAddress,
  getFeeInfo,
  getNodeFeeInfo,
];

/** Every method, `rpc.discover` among them. */
export const ALL_METHODS: readonly WalletRpcMethod[] = [
  ...WALLET_METHODS,
  discoverMethod(SERVICE_DESCRIPTION, () => ALL_METHODS),
];
