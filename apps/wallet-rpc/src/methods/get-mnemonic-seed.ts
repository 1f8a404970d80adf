import { walletRpcApi } from '@wrkz/api';
import { seedOf } from '@wrkz/wallet-core';
import { subWalletOfAddress } from '../records/own-address';
import { applicationRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getMnemonicSeedMethod = declareWalletMethod({
  name: 'getMnemonicSeed',
  summary: 'The 25 words of an address, where its view key follows from its spend key.',
  params: walletRpcApi.ofAddress,
  paramsOptional: true,
  result: walletRpcApi.mnemonicResult,
  errors: applicationErrors('badAddress', 'objectNotFound', 'keysNotDeterministic'),
  handle: ({ wallet }, { address }) => {
    const { snapshot } = wallet;
    const { privateSpendKey } = subWalletOfAddress(snapshot, address, 'objectNotFound');
    if (privateSpendKey === undefined) throw applicationRefusal('keysNotDeterministic');
    return { mnemonicSeed: seedOf(privateSpendKey, snapshot.content.privateViewKey) };
  },
});
