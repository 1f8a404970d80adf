import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getAddresses = declareWalletRoute({
  method: 'GET',
  path: '/addresses',
  summary: 'All addresses of the wallet.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.addressesAnswer,
  errors: [],
  handle: ({ held }) => ({ addresses: [...held.require().wallet.snapshot.addresses] }),
});
