import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const deleteWallet = declareWalletRoute({
  method: 'DELETE',
  path: '/wallet',
  summary: 'Saves and closes the wallet; what cannot be saved is closed all the same.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  answer: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ held }) => {
    await held.close();
    return undefined;
  },
});
