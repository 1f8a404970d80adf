import { walletRpcApi } from '@wrkz/api';
import { declareWalletMethod } from '../declare';

export const getViewKeyMethod = declareWalletMethod({
  name: 'getViewKey',
  summary: 'The secret view key of the container.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.viewKeyResult,
  errors: [],
  handle: ({ wallet }) => ({ viewSecretKey: wallet.snapshot.content.privateViewKey }),
});
