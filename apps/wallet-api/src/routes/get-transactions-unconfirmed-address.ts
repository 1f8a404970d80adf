import { walletApi } from '@wrkz/api';
import { listedKey } from '../records/own-address';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getTransactionsUnconfirmedAddress = declareWalletRoute({
  method: 'GET',
  path: '/transactions/unconfirmed/{address}',
  summary: 'Those of them that touch an address.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.addressParams,
  answer: walletApi.transactionsAnswer,
  errors: walletErrors('addressNotValid'),
  handle: ({ held }, { path }) => {
    const open = held.require();
    const { snapshot } = open.wallet;
    return listed(open, snapshot.unconfirmed(listedKey(snapshot, path.address)));
  },
});
