import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getBalance = declareWalletRoute({
  method: 'GET',
  path: '/balance',
  summary: 'What the wallet holds.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.balanceAnswer,
  errors: [],
  handle: ({ held }) => held.require().wallet.snapshot.balance(),
});
