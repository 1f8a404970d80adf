import { walletApi } from '@wrkz/api';
import { walletError } from '@wrkz/wallet-core';
import { subWalletAt } from '../records/own-address';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getKeysAddress = declareWalletRoute({
  method: 'GET',
  path: '/keys/{address}',
  summary: 'The spend keys of an address.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'admin' },
  params: walletApi.addressParams,
  answer: walletApi.spendKeysAnswer,
  errors: walletErrors('illegalViewWalletOperation', 'addressNotValid', 'addressNotInWallet'),
  handle: ({ held }, { path }) => {
    const { publicSpendKey, privateSpendKey, walletIndex } = subWalletAt(held.require().wallet.snapshot, path.address);
    if (privateSpendKey === undefined) throw walletError.illegalViewWalletOperation();
    return { privateSpendKey, publicSpendKey, walletIndex };
  },
});
