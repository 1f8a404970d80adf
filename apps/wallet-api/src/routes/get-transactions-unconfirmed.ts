import { walletApi } from '@wrkz/api';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getTransactionsUnconfirmed = declareWalletRoute({
  method: 'GET',
  path: '/transactions/unconfirmed',
  summary: 'Own sends that are in no block yet.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.transactionsAnswer,
  errors: [],
  handle: ({ held }) => {
    const open = held.require();
    return listed(open, open.wallet.snapshot.unconfirmed());
  },
});
