import { walletApi } from '@wrkz/api';
import { seedOf } from '@wrkz/wallet-core';
import { subWalletAt } from '../records/own-address';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getKeysMnemonicAddress = declareWalletRoute({
  method: 'GET',
  path: '/keys/mnemonic/{address}',
  summary: 'The 25 words of an address, where its view key follows from its spend key.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'admin' },
  params: walletApi.addressParams,
  answer: walletApi.mnemonicAnswer,
  errors: walletErrors('illegalViewWalletOperation', 'addressNotValid', 'addressNotInWallet', 'keysNotDeterministic'),
  handle: ({ held }, { path }) => {
    const { snapshot } = held.require().wallet;
    const { privateSpendKey } = subWalletAt(snapshot, path.address);
    return { mnemonicSeed: seedOf(privateSpendKey, snapshot.content.privateViewKey) };
  },
});
