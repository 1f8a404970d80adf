import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const getNode = declareRoute({
  method: 'GET',
  path: '/node',
  summary: 'The node that the wallet was given. There are no node fees.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.nodeAnswer,
  errors: [],
  handle: ({ held }) => ({ ...held.require().node, nodeAddress: '', nodeFee: 0 }),
});
