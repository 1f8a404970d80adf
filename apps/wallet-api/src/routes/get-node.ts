import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getNode = declareWalletRoute({
  method: 'GET',
  path: '/node',
  summary: 'The node that the wallet was given. There are no node fees.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.nodeAnswer,
  errors: [],
  handle: ({ held }) => ({ ...held.require().node, nodeAddress: '', nodeFee: 0 }),
});
