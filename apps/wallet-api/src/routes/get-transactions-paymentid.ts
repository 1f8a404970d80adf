import { walletApi } from '@wrkz/api';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getTransactionsPaymentId = declareWalletRoute({
  method: 'GET',
  path: '/transactions/paymentid',
  summary: 'Transactions with any payment id.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.transactionsAnswer,
  errors: [],
  handle: ({ held }) => {
    const open = held.require();
    return listed(open, open.wallet.snapshot.transactions({ hasPaymentId: true }));
  },
});
