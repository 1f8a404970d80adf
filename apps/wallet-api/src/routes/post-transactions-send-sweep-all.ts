import { walletApi } from '@wrkz/api';
import { sweepRequest } from '../records/send-request';
import { recoveredSweep, sweepRecord } from '../records/sweep';
import { checkDestinations } from '../send-rules';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';
import { LIMIT_ERRORS } from './send-errors';

export const postTransactionsSendSweepAll = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/sweep/all',
  summary: 'Sends everything in as many transactions as it takes.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  body: walletApi.sweepAllBody,
  answer: walletApi.sweepAnswer,
  errors: [
    ...walletErrors('illegalViewWalletOperation', 'idempotencyKeyReused', 'idempotencyKeyUnderWay'),
    ...LIMIT_ERRORS,
  ],
  handle: (context, { body, http }) =>
    context.sends.answer(
      context,
      { http },
      {
        status: 200,
        run: async ({ wallet }, grant) => {
          const request = sweepRequest(body);
          checkDestinations(grant, [{ address: request.destination }]);
          return sweepRecord(await wallet.sweep(request));
        },
        recovered: recoveredSweep,
      },
    ),
});
