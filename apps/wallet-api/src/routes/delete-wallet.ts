import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const deleteWallet = declareRoute({
  method: 'DELETE',
  path: '/wallet',
  summary: 'Saves and closes the wallet.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  answer: walletApi.noContent,
  errors: [],
  handle: async ({ held }) => {
    await held.close();
    return undefined;
  },
});
