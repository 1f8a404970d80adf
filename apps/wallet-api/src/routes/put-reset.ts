import { walletApi } from '@wrkz/api';
import { declareRoute, KEY, walletErrors } from './declare';

export const putReset = declareRoute({
  method: 'PUT',
  path: '/reset',
  summary: 'Forgets what came from the chain, and reads it again from a height on.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.resetBody,
  answer: walletApi.noContent,
  errors: walletErrors('liteNodeCannotRescanThatLow', 'invalidWalletFilename'),
  handle: async ({ held }, { body }) => {
    await held.require().wallet.reset(body.scanHeight ?? 0);
    return undefined;
  },
});
