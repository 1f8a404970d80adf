import { walletApi } from '@wrkz/api';
import { seedOf } from '@wrkz/wallet-core';
import { ownSubWallet } from '../records/own-address';
import { declareRoute, KEY, walletErrors } from './declare';

export const getKeysMnemonicAddress = declareRoute({
  method: 'GET',
  path: '/keys/mnemonic/{address}',
  summary: 'The 25 words of an address, where its view key follows from its spend key.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: false, scope: 'admin' },
  params: walletApi.addressParams,
  answer: walletApi.mnemonicAnswer,
  errors: walletErrors('illegalViewWalletOperation', 'addressNotValid', 'addressNotInWallet', 'keysNotDeterministic'),
  handle: ({ held }, { path }) => {
    const { snapshot } = held.require().wallet;
    const { privateSpendKey } = ownSubWallet(snapshot, path.address);
    return { mnemonicSeed: seedOf(privateSpendKey, snapshot.content.privateViewKey) };
  },
});
