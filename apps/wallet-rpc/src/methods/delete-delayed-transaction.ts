import { walletRpcApi } from '@wrkz/api';
import { requireHash } from '../records/texts';
import { applicationErrors, declareWalletMethod } from '../declare';

export const deleteDelayedTransactionMethod = declareWalletMethod({
  name: 'deleteDelayedTransaction',
  summary: 'Gives up a transaction that waits: its inputs are free again.',
  params: walletRpcApi.ofTransaction,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors('wrongHash', 'unknownObject', 'cannotCancel'),
  handle: ({ delayed }, { transactionHash }) => {
    delayed.remove(requireHash(transactionHash));
    return {};
  },
});
