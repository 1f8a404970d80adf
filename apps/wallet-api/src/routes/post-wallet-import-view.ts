import { walletApi } from '@wrkz/api';
import { Wallet } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';
import { openBy } from './open-by';

export const postWalletImportView = declareWalletRoute({
  method: 'POST',
  path: '/wallet/import/view',
  summary: 'Makes a wallet that sees what comes in and cannot spend.',
  guards: KEY_WANTED,
  labels: { wallet: 'closed', viewWallet: true, scope: 'admin' },
  body: walletApi.importViewBody,
  answer: walletApi.noContent,
  errors: walletErrors(
    'walletFileAlreadyExists',
    'invalidWalletFilename',
    'invalidPrivateKey',
    'addressWrongLength',
    'addressWrongPrefix',
    'addressIsIntegrated',
    'addressNotValid',
    'daemonOffline',
    'walletFileInUse',
  ),
  handle: (context, { body }) =>
    openBy(context, body, (parts, settings) =>
      Wallet.importView(parts, settings, { ...body, scanHeight: body.scanHeight ?? 0 }),
    ),
});
