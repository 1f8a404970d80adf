import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const putSyncRefresh = declareRoute({
  method: 'PUT',
  path: '/sync/refresh',
  summary: 'Drops the connection to the node and asks it anew.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  answer: walletApi.refreshAnswer,
  errors: [],
  handle: ({ held }) =>
    held.withWallet(async ({ wallet, node }) => {
      await wallet.refresh();
      return { ...node, message: 'Wallet sync refresh triggered', status: 'OK' as const };
    }),
});
