import { walletRpcApi } from '@wrkz/api';
import { subWalletOfAddress } from '../records/own-address';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getBalanceMethod = declareWalletMethod({
  name: 'getBalance',
  summary: 'What an address holds, or all of them.',
  params: walletRpcApi.balanceParams,
  paramsOptional: true,
  result: walletRpcApi.balanceResult,
  errors: applicationErrors('badAddress', 'walletNotFound'),
  handle: ({ wallet }, { address }) => {
    const { snapshot } = wallet;
    const keys = address === '' ? undefined : [subWalletOfAddress(snapshot, address, 'walletNotFound').publicSpendKey];
    const { unlocked, locked } = snapshot.balance(keys);
    return { availableBalance: unlocked, lockedAmount: locked };
  },
});
