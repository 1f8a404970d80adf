import { walletApi } from '@wrkz/api';
import { recoveredSend, sendRecord } from '../records/send';
import { advancedRequest } from '../records/send-request';
import { checkDestinations } from '../send-rules';
import { declareWalletRoute, KEY_WANTED } from './declare';
import { LIMIT_ERRORS, RELAY_ERRORS, SEND_ERRORS } from './send-errors';

export const postTransactionsSendAdvanced = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/advanced',
  summary: 'Sends.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  body: walletApi.advancedBody,
  answer: walletApi.builtAnswer,
  status: 201,
  errors: [...SEND_ERRORS, ...LIMIT_ERRORS, ...RELAY_ERRORS],
  handle: (context, { body, http }) =>
    context.sends.answer(
      context,
      { http },
      {
        status: 201,
        run: async ({ wallet }, grant) => {
          const request = advancedRequest(body);
          checkDestinations(grant, request.destinations);
          return sendRecord(await wallet.send(request), true);
        },
        recovered: recoveredSend,
      },
    ),
});
