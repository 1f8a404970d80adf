import { walletApi } from '@wrkz/api';
import { rangeOf } from '../records/height';
import { listedKey } from '../records/own-address';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getTransactionsAddressStartEnd = declareWalletRoute({
  method: 'GET',
  path: '/transactions/address/{address}/{startHeight}/{endHeight}',
  summary: 'Those of a range that touch an address.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.addressRangeParams,
  answer: walletApi.transactionsAnswer,
  errors: walletErrors('addressNotValid'),
  handle: ({ held }, { path }) => {
    const open = held.require();
    const { snapshot } = open.wallet;
    const publicSpendKey = listedKey(snapshot, path.address);
    return listed(open, snapshot.transactions({ ...rangeOf(path.startHeight, path.endHeight), publicSpendKey }));
  },
});
