import { REFERENCE_RENDERER } from '@wrkz/pages';
import { docsRoute, healthRoutes, metricsRoute, openApiRoute, type Readiness } from '@wrkz/service-kit';
import type { WalletApiContext } from '../context';
import { KEY_WANTED, NO_GUARDS, type WalletRoute } from './declare';
import { WALLET_SERVICE } from './description';
import { deleteAddressesAddress } from './delete-addresses-address';
import { deleteTransactionsPreparedHash } from './delete-transactions-prepared-hash';
import { deleteWallet } from './delete-wallet';
import { getAddresses } from './get-addresses';
import { getAddressesAddressPaymentId } from './get-addresses-address-paymentid';
import { getAddressesPrimary } from './get-addresses-primary';
import { getBalance } from './get-balance';
import { getBalanceAddress } from './get-balance-address';
import { getBalances } from './get-balances';
import { getKeys } from './get-keys';
import { getKeysAddress } from './get-keys-address';
import { getKeysMnemonicAddress } from './get-keys-mnemonic-address';
import { getNode } from './get-node';
import { getStatus } from './get-status';
import { getTransactions } from './get-transactions';
import { getTransactionsAddressStart } from './get-transactions-address-start';
import { getTransactionsAddressStartEnd } from './get-transactions-address-start-end';
import { getTransactionsExport } from './get-transactions-export';
import { getTransactionsHashHash } from './get-transactions-hash-hash';
import { getTransactionsPaymentId } from './get-transactions-paymentid';
import { getTransactionsPaymentIdHash } from './get-transactions-paymentid-hash';
import { getTransactionsPrivateKeyHash } from './get-transactions-privatekey-hash';
import { getTransactionsStart } from './get-transactions-start';
import { getTransactionsStartEnd } from './get-transactions-start-end';
import { getTransactionsUnconfirmed } from './get-transactions-unconfirmed';
import { getTransactionsUnconfirmedAddress } from './get-transactions-unconfirmed-address';
import { postAddressesCreate } from './post-addresses-create';
import { postAddressesImport } from './post-addresses-import';
import { postAddressesImportDeterministic } from './post-addresses-import-deterministic';
import { postAddressesImportView } from './post-addresses-import-view';
import { postAddressesValidate } from './post-addresses-validate';
import { postExportJson } from './post-export-json';
import { postTransactionsEstimate } from './post-transactions-estimate';
import { postTransactionsEstimateSweep } from './post-transactions-estimate-sweep';
import { postTransactionsPrepareAdvanced } from './post-transactions-prepare-advanced';
import { postTransactionsPrepareBasic } from './post-transactions-prepare-basic';
import { postTransactionsSendAdvanced } from './post-transactions-send-advanced';
import { postTransactionsSendBasic } from './post-transactions-send-basic';
import { postTransactionsSendPrepared } from './post-transactions-send-prepared';
import { postTransactionsSendSweep } from './post-transactions-send-sweep';
import { postTransactionsSendSweepAll } from './post-transactions-send-sweep-all';
import { postWalletCreate } from './post-wallet-create';
import { postWalletImportKey } from './post-wallet-import-key';
import { postWalletImportSeed } from './post-wallet-import-seed';
import { postWalletImportView } from './post-wallet-import-view';
import { postWalletOpen } from './post-wallet-open';
import { putNode } from './put-node';
import { putReset } from './put-reset';
import { putSave } from './put-save';
import { putSyncRefresh } from './put-sync-refresh';
import { putWalletPassword } from './put-wallet-password';

/** The routes of the wallet; of two that could match a path, the one with more fixed words stands first. */
export const WALLET_ROUTES: readonly WalletRoute[] = [
  getAddresses,
  postAddressesCreate,
  postAddressesImport,
  postAddressesImportDeterministic,
  postAddressesImportView,
  getAddressesPrimary,
  postAddressesValidate,
  getBalance,
  getBalances,
  postExportJson,
  getKeys,
  getNode,
  putNode,
  putReset,
  putSave,
  getStatus,
  putSyncRefresh,
  getTransactions,
  postTransactionsEstimate,
  postTransactionsEstimateSweep,
  getTransactionsExport,
  getTransactionsPaymentId,
  postTransactionsPrepareAdvanced,
  postTransactionsPrepareBasic,
  postTransactionsSendAdvanced,
  postTransactionsSendBasic,
  postTransactionsSendPrepared,
  postTransactionsSendSweep,
  postTransactionsSendSweepAll,
  getTransactionsUnconfirmed,
  deleteWallet,
  postWalletCreate,
  postWalletImportKey,
  postWalletImportSeed,
  postWalletImportView,
  postWalletOpen,
  putWalletPassword,
  deleteAddressesAddress,
  getBalanceAddress,
  getKeysMnemonicAddress,
  getKeysAddress,
  getTransactionsHashHash,
  getTransactionsPaymentIdHash,
  deleteTransactionsPreparedHash,
  getTransactionsPrivateKeyHash,
  getTransactionsUnconfirmedAddress,
  getTransactionsStart,
  getAddressesAddressPaymentId,
  getTransactionsAddressStart,
  getTransactionsStartEnd,
  getTransactionsAddressStartEnd,
];

/** Every route that an instance serves. */
export function walletRoutes(
  context: Pick<WalletApiContext, 'metrics' | 'isStopping' | 'held'>,
): readonly WalletRoute[] {
  const readiness = (): Readiness => ({ ready: !context.isStopping(), walletOpen: context.held.current !== undefined });
  const routes: WalletRoute[] = [
    ...WALLET_ROUTES,
    ...healthRoutes(readiness),
    ...(context.metrics === undefined ? [] : [metricsRoute(context.metrics, KEY_WANTED)]),
  ];
  routes.push(openApiRoute(WALLET_SERVICE, () => routes, { guards: KEY_WANTED }));
  routes.push(docsRoute(WALLET_SERVICE, () => ({ routes }), REFERENCE_RENDERER, { guards: NO_GUARDS }));
  return routes;
}
