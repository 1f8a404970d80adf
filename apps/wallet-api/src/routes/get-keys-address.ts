import { walletApi } from '@wrkz/api';
import { walletError } from '@wrkz/wallet-core';
import { ownSubWallet } from '../records/own-address';
import { declareRoute, KEY, walletErrors } from './declare';

export const getKeysAddress = declareRoute({
  method: 'GET',
  path: '/keys/{address}',
  summary: 'The spend keys of an address.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: false, scope: 'admin' },
  params: walletApi.addressParams,
  answer: walletApi.spendKeysAnswer,
  errors: walletErrors('illegalViewWalletOperation', 'addressNotValid', 'addressNotInWallet'),
  handle: ({ held }, { path }) => {
    const { publicSpendKey, privateSpendKey, walletIndex } = ownSubWallet(held.require().wallet.snapshot, path.address);
    if (privateSpendKey === undefined) throw walletError.illegalViewWalletOperation();
    return { privateSpendKey, publicSpendKey, walletIndex };
  },
});
