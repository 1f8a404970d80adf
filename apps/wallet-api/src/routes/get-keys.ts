import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getKeys = declareWalletRoute({
  method: 'GET',
  path: '/keys',
  summary: 'The private view key, which all addresses share.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  answer: walletApi.viewKeyAnswer,
  errors: [],
  handle: ({ held }) => ({ privateViewKey: held.require().wallet.snapshot.content.privateViewKey }),
});
