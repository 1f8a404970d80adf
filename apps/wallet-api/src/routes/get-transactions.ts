import { walletApi } from '@wrkz/api';
import { transactionPage } from '../records/page';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getTransactions = declareWalletRoute({
  method: 'GET',
  path: '/transactions',
  summary: 'Transactions in blocks, oldest first, or a page of them.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  query: walletApi.pageQuery,
  answer: walletApi.pageAnswer,
  errors: [],
  handle: ({ held }, { query }) => {
    const open = held.require();
    const { transactions, nextCursor } = transactionPage(open.wallet.snapshot.transactions(), query);
    return listed(open, transactions, nextCursor === undefined ? '' : `"nextCursor":"${nextCursor}",`);
  },
});
