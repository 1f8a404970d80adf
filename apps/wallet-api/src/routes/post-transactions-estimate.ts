import { walletApi } from '@wrkz/api';
import { advancedRequest } from '../records/send-request';
import { declareWalletRoute, KEY_WANTED } from './declare';
import { SEND_ERRORS } from './send-errors';

export const postTransactionsEstimate = declareWalletRoute({
  method: 'POST',
  path: '/transactions/estimate',
  summary: 'What a send would cost and look like. Nothing is built or sent.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'read' },
  body: walletApi.advancedBody,
  answer: walletApi.estimateAnswer,
  errors: SEND_ERRORS,
  handle: ({ held }, { body }) => held.require().wallet.estimate(advancedRequest(body)),
});
