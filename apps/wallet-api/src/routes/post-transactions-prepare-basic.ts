import { walletApi } from '@wrkz/api';
import { Reply } from '@wrkz/service-kit';
import { sendRecord } from '../records/send';
import { basicRequest } from '../records/send-request';
import { checkDestinations } from '../send-rules';
import { declareWalletRoute, KEY_WANTED } from './declare';
import { BASIC_SEND_ERRORS, LIMIT_ERRORS } from './send-errors';

export const postTransactionsPrepareBasic = declareWalletRoute({
  method: 'POST',
  path: '/transactions/prepare/basic',
  summary: 'Builds a transaction to one address and keeps it.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  body: walletApi.basicBody,
  answer: walletApi.builtAnswer,
  status: 201,
  errors: [...BASIC_SEND_ERRORS, ...LIMIT_ERRORS],
  handle: async ({ held, keys, prepared }, { body, http }) => {
    const request = basicRequest(body);
    const grant = keys.grantOf(http.request);
    checkDestinations(grant, request.destinations);
    const built = await held.require().wallet.prepare(request);
    prepared.note(built.hash, grant.name);
    return new Reply(201, sendRecord(built, false));
  },
});
