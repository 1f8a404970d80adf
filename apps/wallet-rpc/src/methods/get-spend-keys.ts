import { walletRpcApi } from '@wrkz/api';
import { subWalletOfAddress } from '../records/own-address';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getSpendKeysMethod = declareWalletMethod({
  name: 'getSpendKeys',
  summary: 'The spend keys of an address; the secret one is all zeros where it is not known.',
  params: walletRpcApi.ofAddress,
  paramsOptional: true,
  result: walletRpcApi.spendKeys,
  errors: applicationErrors('badAddress', 'objectNotFound'),
  handle: ({ wallet }, { address }) => {
    const subWallet = subWalletOfAddress(wallet.snapshot, address, 'objectNotFound');
    return {
      spendPublicKey: subWallet.publicSpendKey,
      spendSecretKey: subWallet.privateSpendKey ?? '0'.repeat(64),
    };
  },
});
