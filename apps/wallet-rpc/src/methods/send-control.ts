import { walletRpcApi } from '@wrkz/api';
import { requireHash } from '../checks';
import { applicationError } from '../errors';
import { applicationErrors, declareWalletMethod } from './declare';

/* Commands of the operator that control sends. They need no secret spend keys, so they also work with a view-only container. */

const GIVE_UP_REASON = 'the operator gave it up';

export const sendControlMethods = [
  declareWalletMethod({
    name: 'pauseSends',
    summary: 'Refuses new sends with error 1008 until resumeSends, even after a restart. Nothing else is affected.',
    params: walletRpcApi.pauseParams,
    result: walletRpcApi.done,
    errors: applicationErrors('cannotWrite'),
    handle: ({ wallet }, { reason }) => {
      wallet.pause.set('operator', reason);
      return {};
    },
  }),
  declareWalletMethod({
    name: 'resumeSends',
    summary:
      'Ends every pause of sends. A damaged wallet database is renamed and replaced. Check recent payments first, ' +
      'because its idempotency keys and pending sends are lost.',
    params: walletRpcApi.noParams,
    result: walletRpcApi.done,
    errors: applicationErrors('cannotWrite'),
    handle: async ({ wallet }) => {
      await wallet.resumeSends();
      return {};
    },
  }),
  declareWalletMethod({
    name: 'giveUpTransaction',
    summary:
      'Gives up a send that is in no block: it is no longer submitted, and its inputs are unlocked. It may still be ' +
      'mined, so the next send from the same addresses spends one of its inputs.',
    params: walletRpcApi.ofTransaction,
    result: walletRpcApi.done,
    errors: applicationErrors('wrongHash', 'objectNotFound', 'walletDatabaseDamaged'),
    handle: async ({ wallet }, { transactionHash }) => {
      const hash = requireHash(transactionHash);
      if (!(await wallet.giveUp(hash, GIVE_UP_REASON))) throw applicationError('objectNotFound');
      return {};
    },
  }),
];
