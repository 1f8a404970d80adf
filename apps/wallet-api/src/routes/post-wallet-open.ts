import { walletApi } from '@wrkz/api';
import { Wallet } from '@wrkz/wallet-core';
import { declareRoute, KEY, walletErrors } from './declare';
import { openBy } from './open-by';

export const postWalletOpen = declareRoute({
  method: 'POST',
  path: '/wallet/open',
  summary: 'Opens a wallet file.',
  guards: KEY,
  labels: { wallet: 'closed', viewWallet: true, scope: 'admin' },
  body: walletApi.openBody,
  answer: walletApi.noContent,
  errors: walletErrors('filenameNonExistent', 'notAWalletFile', 'walletFileCorrupted', 'wrongPassword', 'unsupportedWalletFileFormatVersion', 'daemonOffline', 'walletFileInUse'),
  handle: (context, { body }) => openBy(context, body, (parts, settings) => Wallet.open(parts, settings), false),
});
