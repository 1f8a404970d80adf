import { walletApi } from '@wrkz/api';
import { isMembers, parseJson, rawBody } from '@wrkz/service-kit';
import { badRequest } from '../refusals';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const putReset = declareWalletRoute({
  method: 'PUT',
  path: '/reset',
  summary: 'Forgets what came from the chain, and reads it again from a height on.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.resetBody,
  answer: walletApi.noContent,
  errors: walletErrors('liteNodeCannotRescanThatLow', 'invalidWalletFilename'),
  handle: async ({ held }, { body, http }) => {
    if (isCutShort(rawBody(http.request))) throw badRequest();
    await held.require().wallet.reset(body.scanHeight ?? 0);
    return undefined;
  },
});

/** Whether there is a body that is no JSON object: to count it as none would forget everything from height 0 on. */
function isCutShort(body: Buffer): boolean {
  if (body.length === 0) return false;
  try {
    return !isMembers(parseJson(body.toString('utf8')));
  } catch {
    return true;
  }
}
