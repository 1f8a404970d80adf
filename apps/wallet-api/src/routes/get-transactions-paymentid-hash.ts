import { walletApi } from '@wrkz/api';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getTransactionsPaymentIdHash = declareWalletRoute({
  method: 'GET',
  path: '/transactions/paymentid/{hash}',
  summary: 'Transactions with exactly this payment id.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.hashParams,
  answer: walletApi.transactionsAnswer,
  errors: [],
  handle: ({ held }, { path }) => {
    const open = held.require();
    return listed(open, open.wallet.snapshot.transactions({ paymentId: path.hash }));
  },
});
