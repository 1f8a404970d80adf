import { walletApi } from '@wrkz/api';
import { recoveredSend, sendRecord } from '../records/send';
import { basicRequest } from '../records/send-request';
import { checkDestinations } from '../send-rules';
import { declareWalletRoute, KEY_WANTED } from './declare';
import { BASIC_SEND_ERRORS, LIMIT_ERRORS, RELAY_ERRORS } from './send-errors';

export const postTransactionsSendBasic = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/basic',
  summary: 'Sends to one address.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  body: walletApi.basicBody,
  answer: walletApi.builtAnswer,
  status: 201,
  errors: [...BASIC_SEND_ERRORS, ...LIMIT_ERRORS, ...RELAY_ERRORS],
  handle: (context, { body, http }) =>
    context.sends.answer(
      context,
      { http },
      {
        status: 201,
        run: async ({ wallet }, grant) => {
          const request = basicRequest(body);
          checkDestinations(grant, request.destinations);
          return sendRecord(await wallet.send(request), true);
        },
        recovered: recoveredSend,
      },
    ),
});
