import { walletRpcApi } from '@wrkz/api';
import { applicationErrors, declareWalletMethod } from '../declare';

export const saveMethod = declareWalletMethod({
  name: 'save',
  summary: 'Writes the container to the disk.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors('cannotWrite'),
  handle: async ({ wallet }) => {
    await wallet.save();
    return {};
  },
});
