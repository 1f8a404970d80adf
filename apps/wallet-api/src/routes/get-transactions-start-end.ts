import { walletApi } from '@wrkz/api';
import { rangeOf } from '../records/height';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getTransactionsStartEnd = declareWalletRoute({
  method: 'GET',
  path: '/transactions/{startHeight}/{endHeight}',
  summary: 'Transactions from one height up to, but not in, another.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.rangeParams,
  answer: walletApi.transactionsAnswer,
  errors: [],
  handle: ({ held }, { path }) => {
    const open = held.require();
    return listed(open, open.wallet.snapshot.transactions(rangeOf(path.startHeight, path.endHeight)));
  },
});
