import { walletApi } from '@wrkz/api';
import { Reply } from '@wrkz/service-kit';
import { sendRecord } from '../records/send';
import { advancedRequest } from '../records/send-request';
import { checkDestinations } from '../send-rules';
import { declareWalletRoute, KEY_WANTED } from './declare';
import { LIMIT_ERRORS, SEND_ERRORS } from './send-errors';

export const postTransactionsPrepareAdvanced = declareWalletRoute({
  method: 'POST',
  path: '/transactions/prepare/advanced',
  summary: 'Builds a transaction and keeps it.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  body: walletApi.advancedBody,
  answer: walletApi.builtAnswer,
  status: 201,
  errors: [...SEND_ERRORS, ...LIMIT_ERRORS],
  handle: async ({ held, keys, prepared }, { body, http }) => {
    const request = advancedRequest(body);
    const grant = keys.grantOf(http.request);
    checkDestinations(grant, request.destinations);
    const built = await held.require().wallet.prepare(request);
    prepared.note(built.hash, grant.name);
    return new Reply(201, sendRecord(built, false));
  },
});
