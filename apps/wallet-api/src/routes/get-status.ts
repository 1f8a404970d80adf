import { walletApi } from '@wrkz/api';
import { statusRecord } from '../records/status';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getStatus = declareWalletRoute({
  method: 'GET',
  path: '/status',
  summary: 'Where the wallet and its node stand, and why the wallet does not come closer.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.statusAnswer,
  errors: [],
  handle: ({ held }) => statusRecord(held.require()),
});
