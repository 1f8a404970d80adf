import { walletApi } from '@wrkz/api';
import { BLOCKS_OF_A_LISTING, heightOf } from '../records/height';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getTransactionsStart = declareWalletRoute({
  method: 'GET',
  path: '/transactions/{startHeight}',
  summary: 'Transactions of 1,000 blocks from a height on.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.startParams,
  answer: walletApi.transactionsAnswer,
  errors: [],
  handle: ({ held }, { path }) => {
    const open = held.require();
    const start = heightOf(path.startHeight);
    return listed(open, open.wallet.snapshot.transactions({ start, end: start + BLOCKS_OF_A_LISTING }));
  },
});
