import { walletApi } from '@wrkz/api';
import { pageOf } from '../records/page';
import { listed } from '../records/transaction';
import { declareRoute, KEY } from './declare';

export const getTransactions = declareRoute({
  method: 'GET',
  path: '/transactions',
  summary: 'Transactions in blocks, oldest first, or a page of them.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  query: walletApi.pageQuery,
  answer: walletApi.pageAnswer,
  errors: [],
  handle: ({ held }, { query }) => {
    const open = held.require();
    const { transactions, nextCursor } = pageOf(open.wallet.snapshot.transactions(), query);
    return listed(open, transactions, nextCursor === undefined ? '' : `"nextCursor":"${nextCursor}",`);
  },
});
