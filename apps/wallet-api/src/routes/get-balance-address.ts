import { walletApi } from '@wrkz/api';
import { subWalletOfBalance } from '../records/own-address';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getBalanceAddress = declareWalletRoute({
  method: 'GET',
  path: '/balance/{address}',
  summary: 'What an address holds.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.addressParams,
  answer: walletApi.balanceAnswer,
  errors: walletErrors('addressNotValid', 'addressNotInWallet'),
  handle: ({ held }, { path }) => {
    const { snapshot } = held.require().wallet;
    return snapshot.balanceOf(subWalletOfBalance(snapshot, path.address));
  },
});
