import { walletApi } from '@wrkz/api';
import { statusRecord } from '../records/status';
import { declareRoute, KEY } from './declare';

export const getStatus = declareRoute({
  method: 'GET',
  path: '/status',
  summary: 'Where the wallet and its node stand, and why the wallet does not come closer.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.statusAnswer,
  errors: [],
  handle: ({ held }) => statusRecord(held.require()),
});
