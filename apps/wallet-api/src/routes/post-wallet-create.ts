import { walletApi } from '@wrkz/api';
import { Wallet } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';
import { openBy } from './open-by';

export const postWalletCreate = declareWalletRoute({
  method: 'POST',
  path: '/wallet/create',
  summary: 'Makes a wallet with new keys.',
  guards: KEY_WANTED,
  labels: { wallet: 'closed', viewWallet: true, scope: 'admin' },
  body: walletApi.openBody,
  answer: walletApi.noContent,
  errors: walletErrors('walletFileAlreadyExists', 'invalidWalletFilename', 'daemonOffline', 'walletFileInUse'),
  handle: (context, { body }) => openBy(context, body, (parts, settings) => Wallet.create(parts, settings)),
});
