import { walletRpcApi } from '@wrkz/api';
import { applicationErrors, declareWalletMethod } from '../declare';

export const resetMethod = declareWalletMethod({
  name: 'reset',
  summary: 'Forgets all that came from the chain, and reads it again from a height on.',
  params: walletRpcApi.resetParams,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors('wrongParameters', 'cannotWrite'),
  handle: async ({ wallet, pool }, { scanHeight }) => {
    await wallet.reset(scanHeight);
    pool.forget();
    return {};
  },
});
