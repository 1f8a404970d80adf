import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const putSave = declareWalletRoute({
  method: 'PUT',
  path: '/save',
  summary: 'Saves the wallet.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'receive' },
  answer: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ held }) => {
    await held.require().wallet.save();
    return undefined;
  },
});
