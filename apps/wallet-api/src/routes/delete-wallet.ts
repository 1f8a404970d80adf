import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const deleteWallet = declareWalletRoute({
  method: 'DELETE',
  path: '/wallet',
  summary: 'Saves and closes the wallet.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  answer: walletApi.noContent,
  errors: [],
  handle: async ({ held }) => {
    await held.close();
    return undefined;
  },
});
