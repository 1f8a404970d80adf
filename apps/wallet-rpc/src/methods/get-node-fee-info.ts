import { walletRpcApi } from '@wrkz/api';
import { declareWalletMethod } from '../declare';

export const getNodeFeeInfoMethod = declareWalletMethod({
  name: 'getNodeFeeInfo',
  summary: 'Nodes ask for no fee of their own: the answer is always the same.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.feeInfo,
  errors: [],
  handle: () => ({ address: '', amount: 0n }),
});
