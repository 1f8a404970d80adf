import { walletApi } from '@wrkz/api';
import { Wallet } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';
import { openBy } from './open-by';

export const postWalletImportKey = declareWalletRoute({
  method: 'POST',
  path: '/wallet/import/key',
  summary: 'Makes a wallet of its two private keys.',
  guards: KEY_WANTED,
  labels: { wallet: 'closed', viewWallet: true, scope: 'admin' },
  body: walletApi.importKeyBody,
  answer: walletApi.noContent,
  errors: walletErrors(
    'walletFileAlreadyExists',
    'invalidWalletFilename',
    'invalidPrivateKey',
    'daemonOffline',
    'walletFileInUse',
  ),
  handle: (context, { body }) =>
    openBy(context, body, (parts, settings) =>
      Wallet.importKeys(parts, settings, { ...body, scanHeight: body.scanHeight ?? 0 }),
    ),
});
