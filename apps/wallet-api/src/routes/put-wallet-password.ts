import { walletApi } from '@wrkz/api';
import { walletError } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const putWalletPassword = declareWalletRoute({
  method: 'PUT',
  path: '/wallet/password',
  summary: 'Saves the wallet under another password.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.passwordBody,
  answer: walletApi.noContent,
  errors: walletErrors('wrongPassword', 'invalidWalletFilename'),
  handle: async ({ held }, { body }) => {
    await held.withWallet(async ({ wallet }) => {
      if (!wallet.isPassword(body.password)) throw walletError.wrongPassword();
      await wallet.changePassword(body.newPassword);
    });
    return undefined;
  },
});
