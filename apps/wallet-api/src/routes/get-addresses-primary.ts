import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const getAddressesPrimary = declareRoute({
  method: 'GET',
  path: '/addresses/primary',
  summary: 'The address that the wallet was made with.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.addressAnswer,
  errors: [],
  handle: ({ held }) => ({ address: held.require().wallet.snapshot.primary?.address ?? '' }),
});
