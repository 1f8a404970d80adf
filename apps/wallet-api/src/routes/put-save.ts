import { walletApi } from '@wrkz/api';
import { declareRoute, KEY, walletErrors } from './declare';

export const putSave = declareRoute({
  method: 'PUT',
  path: '/save',
  summary: 'Saves the wallet.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'receive' },
  answer: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ held }) => {
    await held.require().wallet.save();
    return undefined;
  },
});
