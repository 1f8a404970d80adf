import { walletRpcApi } from '@wrkz/api';
import { subWalletOfAddress } from '../records/own-address';
import { applicationErrors, declareWalletMethod } from '../declare';

export const deleteAddressMethod = declareWalletMethod({
  name: 'deleteAddress',
  summary: 'Takes an address out of the container, with its money and its key.',
  params: walletRpcApi.ofAddress,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors('badAddress', 'objectNotFound', 'cannotWrite'),
  handle: async ({ wallet, pool }, { address }) => {
    subWalletOfAddress(wallet.snapshot, address, 'objectNotFound');
    await wallet.removeAnySubWallet(address);
    pool.forget();
    return {};
  },
});
