import { walletApi } from '@wrkz/api';
import { Wallet } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';
import { openBy } from './open-by';

export const postWalletOpen = declareWalletRoute({
  method: 'POST',
  path: '/wallet/open',
  summary: 'Opens a wallet file.',
  guards: KEY_WANTED,
  labels: { wallet: 'closed', viewWallet: true, scope: 'admin' },
  body: walletApi.openBody,
  answer: walletApi.noContent,
  errors: walletErrors(
    'filenameNonExistent',
    'notAWalletFile',
    'walletFileCorrupted',
    'wrongPassword',
    'unsupportedWalletFileFormatVersion',
    'daemonOffline',
    'walletFileInUse',
  ),
  handle: (context, { body }) => openBy(context, body, (parts, settings) => Wallet.open(parts, settings), false),
});
