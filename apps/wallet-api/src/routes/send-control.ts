import { walletApi } from '@wrkz/api';
import { refusal } from '@wrkz/service-kit';
import { walletErrors } from '../errors';
import { access, declareWalletRoute, NOT_FOUND, type WalletRoute } from './declare';

/* Commands of the operator that control sends. They need no private keys, so they also work with a view wallet. */

const DEFAULT_PAUSE_REASON = 'the operator paused them';
const GIVE_UP_REASON = 'the operator gave it up';

const pauseSends = declareWalletRoute({
  method: 'POST',
  path: '/sends/pause',
  summary: 'Pauses all sends of the wallet.',
  description:
    'New sends and prepared ones are refused with error 1008 until `POST /sends/resume`, even after a restart. ' +
    'Reads are not affected, and pending transactions are still resubmitted until they are mined. `GET /status` ' +
    'returns the pause as `sendsPaused`. Pausing again changes nothing.',
  ...access('admin', { audit: 'pause-sends' }),
  body: walletApi.pauseBody,
  response: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: ({ wallets }, { body }) => {
    wallets.require().wallet.pause.set('operator', body.reason ?? DEFAULT_PAUSE_REASON);
    return undefined;
  },
});

const resumeSends = declareWalletRoute({
  method: 'POST',
  path: '/sends/resume',
  summary: 'Resumes the sends of the wallet.',
  description:
    'Ends every pause: by `POST /sends/pause`, or by the wallet because nodes disagree or the wallet database is ' +
    'damaged. A database that cannot be read is renamed and replaced with a new one, without the idempotency keys ' +
    'and pending sends in it, so check recent payments first.',
  ...access('admin', { audit: 'resume-sends' }),
  response: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ wallets }) => {
    await wallets.require().wallet.resumeSends();
    return undefined;
  },
});

const giveUpSend = declareWalletRoute({
  method: 'DELETE',
  path: '/transactions/pending/{hash}',
  summary: 'Gives up a send that is in no block.',
  description:
    'The wallet no longer submits the transaction and unlocks its inputs. A node may still have it, so it may still be ' +
    'mined. Until that is impossible, the next send from the same addresses spends one of its inputs, so that only ' +
    'one of the two can be mined. Its idempotency key then returns error 1006. 404 when no such send is pending or ' +
    'refused.',
  ...access('admin', { audit: 'give-up-send' }),
  params: walletApi.hashParams,
  response: walletApi.noContent,
  errors: [...walletErrors('invalidWalletFilename', 'walletDatabaseDamaged'), NOT_FOUND],
  handle: async ({ wallets }, { path }) => {
    if (!(await wallets.require().wallet.giveUp(path.hash, GIVE_UP_REASON))) throw refusal('not_found');
    return undefined;
  },
});

export const SEND_CONTROL_ROUTES: readonly WalletRoute[] = [pauseSends, resumeSends, giveUpSend];
