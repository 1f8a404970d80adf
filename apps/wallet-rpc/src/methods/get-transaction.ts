import { walletRpcApi } from '@wrkz/api';
import { findTransaction } from '../records/find-transaction';
import { requireHash } from '../records/texts';
import { applicationRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getTransactionMethod = declareWalletMethod({
  name: 'getTransaction',
  summary: 'One transaction, wherever it stands.',
  params: walletRpcApi.ofTransaction,
  paramsOptional: true,
  result: walletRpcApi.oneTransactionResult,
  errors: applicationErrors('wrongHash', 'objectNotFound'),
  handle: async (context, { transactionHash }) => {
    const transaction = await findTransaction(context, requireHash(transactionHash));
    if (transaction === undefined) throw applicationRefusal('objectNotFound');
    return { transaction };
  },
});
