import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const getBalance = declareRoute({
  method: 'GET',
  path: '/balance',
  summary: 'What the wallet holds.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.balanceAnswer,
  errors: [],
  handle: ({ held }) => held.require().wallet.snapshot.balance(),
});
