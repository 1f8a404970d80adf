import { walletRpcApi } from '@wrkz/api';
import { seedOf } from '@wrkz/wallet-core';
import { requireSubWallet } from '../checks';
import { applicationError } from '../errors';
import { applicationErrors, declareWalletMethod } from './declare';

export const keyMethods = [
  declareWalletMethod({
    name: 'getSpendKeys',
    summary: 'Returns the spend keys of an address. The secret key is all zeros in a view-only container.',
    params: walletRpcApi.ofAddress,
    result: walletRpcApi.spendKeys,
    errors: applicationErrors('badAddress', 'objectNotFound'),
    handle: ({ wallet }, { address }) => {
      const subWallet = requireSubWallet(wallet.snapshot, address, 'objectNotFound');
      return {
        spendPublicKey: subWallet.publicSpendKey,
        spendSecretKey: subWallet.privateSpendKey ?? '0'.repeat(64),
      };
    },
  }),
  declareWalletMethod({
    name: 'getViewKey',
    summary: 'Returns the secret view key of the container.',
    params: walletRpcApi.noParams,
    result: walletRpcApi.viewKeyResult,
    errors: [],
    handle: ({ wallet }) => ({ viewSecretKey: wallet.snapshot.content.privateViewKey }),
  }),
  declareWalletMethod({
    name: 'getMnemonicSeed',
    summary: 'Returns the 25-word mnemonic seed of an address whose view key is derived from its spend key.',
    params: walletRpcApi.ofAddress,
    result: walletRpcApi.mnemonicResult,
    errors: applicationErrors('badAddress', 'objectNotFound', 'keysNotDeterministic'),
    handle: ({ wallet }, { address }) => {
      const { snapshot } = wallet;
      const { privateSpendKey } = requireSubWallet(snapshot, address, 'objectNotFound');
      if (privateSpendKey === undefined) throw applicationError('keysNotDeterministic');
      return { mnemonicSeed: seedOf(privateSpendKey, snapshot.content.privateViewKey) };
    },
  }),
];
