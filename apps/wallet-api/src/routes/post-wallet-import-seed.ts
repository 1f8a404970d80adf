import { walletApi } from '@wrkz/api';
import { Wallet } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';
import { openBy } from './open-by';

export const postWalletImportSeed = declareWalletRoute({
  method: 'POST',
  path: '/wallet/import/seed',
  summary: 'Makes a wallet of the 25 words of its seed.',
  guards: KEY_WANTED,
  labels: { wallet: 'closed', viewWallet: true, scope: 'admin' },
  body: walletApi.importSeedBody,
  answer: walletApi.noContent,
  errors: walletErrors(
    'walletFileAlreadyExists',
    'invalidWalletFilename',
    'mnemonicWrongLength',
    'mnemonicInvalidWord',
    'mnemonicInvalidChecksum',
    'invalidMnemonic',
    'invalidPrivateKey',
    'daemonOffline',
    'walletFileInUse',
  ),
  handle: (context, { body }) =>
    openBy(context, body, (parts, settings) =>
      Wallet.importSeed(parts, settings, { words: body.mnemonicSeed, scanHeight: body.scanHeight ?? 0 }),
    ),
});
