import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const putReset = declareWalletRoute({
  method: 'PUT',
  path: '/reset',
  summary: 'Forgets what came from the chain, and reads it again from a height on.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.resetBody,
  answer: walletApi.noContent,
  errors: walletErrors('liteNodeCannotRescanThatLow', 'invalidWalletFilename'),
  handle: async ({ held }, { body }) => {
    await held.require().wallet.reset(body.scanHeight ?? 0);
    return undefined;
  },
});
