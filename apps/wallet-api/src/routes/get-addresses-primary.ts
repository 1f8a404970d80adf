import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getAddressesPrimary = declareWalletRoute({
  method: 'GET',
  path: '/addresses/primary',
  summary: 'The address that the wallet was made with.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.addressAnswer,
  errors: [],
  handle: ({ held }) => ({ address: held.require().wallet.snapshot.primary?.address ?? '' }),
});
