import { walletApi } from '@wrkz/api';
import { refusal } from '@wrkz/service-kit';
import { transactionRecorder } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED, NOT_FOUND } from './declare';

export const getTransactionsHashHash = declareWalletRoute({
  method: 'GET',
  path: '/transactions/hash/{hash}',
  summary: 'A transaction that is in a block.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.hashParams,
  answer: walletApi.transactionAnswer,
  errors: [NOT_FOUND],
  handle: ({ held }, { path }) => {
    const open = held.require();
    const transaction = open.wallet.snapshot.transaction(path.hash);
    if (transaction === undefined) throw refusal('not_found');
    return { transaction: transactionRecorder(open)(transaction) };
  },
});
