import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const putSyncRefresh = declareWalletRoute({
  method: 'PUT',
  path: '/sync/refresh',
  summary: 'Drops the connection to the node and asks it anew.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  answer: walletApi.refreshAnswer,
  errors: [],
  handle: ({ held }) =>
    held.withWallet(async ({ wallet, node }) => {
      await wallet.refresh();
      return { ...node, message: 'Wallet sync refresh triggered', status: 'OK' as const };
    }),
});
