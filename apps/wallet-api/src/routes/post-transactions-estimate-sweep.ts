import { walletApi } from '@wrkz/api';
import { walletErrorRows } from '@wrkz/wallet-core';
import { sweepRequest } from '../records/send-request';
import { declareWalletRoute, KEY_WANTED } from './declare';
import { BASIC_SEND_ERRORS } from './send-errors';

export const postTransactionsEstimateSweep = declareWalletRoute({
  method: 'POST',
  path: '/transactions/estimate/sweep',
  summary: 'What a sweep would send and cost. Nothing is built or sent.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'read' },
  body: walletApi.sweepBody,
  answer: walletApi.sweepEstimateAnswer,
  errors: BASIC_SEND_ERRORS.filter(({ code }) => code !== walletErrorRows.amountIsZero.code),
  handle: async ({ held }, { body }) => {
    const transactions = await held.require().wallet.estimateSweep(sweepRequest(body));
    const sum = (of: 'amount' | 'fee'): bigint => transactions.reduce((total, row) => total + row[of], 0n);
    return { amount: sum('amount'), fee: sum('fee'), transactions: [...transactions] };
  },
});
