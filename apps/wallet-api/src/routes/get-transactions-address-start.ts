import { walletApi } from '@wrkz/api';
import { BLOCKS_OF_A_LISTING, heightOf } from '../records/height';
import { listedKey } from '../records/own-address';
import { listed } from '../records/transaction';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getTransactionsAddressStart = declareWalletRoute({
  method: 'GET',
  path: '/transactions/address/{address}/{startHeight}',
  summary: 'Those of 1,000 blocks that touch an address.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.addressStartParams,
  answer: walletApi.transactionsAnswer,
  errors: walletErrors('addressNotValid'),
  handle: ({ held }, { path }) => {
    const open = held.require();
    const { snapshot } = open.wallet;
    const publicSpendKey = listedKey(snapshot, path.address);
    const start = heightOf(path.startHeight);
    return listed(open, snapshot.transactions({ start, end: start + BLOCKS_OF_A_LISTING, publicSpendKey }));
  },
});
