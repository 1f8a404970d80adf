import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const getAddresses = declareRoute({
  method: 'GET',
  path: '/addresses',
  summary: 'All addresses of the wallet.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.addressesAnswer,
  errors: [],
  handle: ({ held }) => ({ addresses: [...held.require().wallet.snapshot.addresses] }),
});
