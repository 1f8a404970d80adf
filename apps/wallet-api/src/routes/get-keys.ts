import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const getKeys = declareRoute({
  method: 'GET',
  path: '/keys',
  summary: 'The private view key, which all addresses share.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  answer: walletApi.viewKeyAnswer,
  errors: [],
  handle: ({ held }) => ({ privateViewKey: held.require().wallet.snapshot.content.privateViewKey }),
});
