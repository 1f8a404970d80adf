import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getBalances = declareWalletRoute({
  method: 'GET',
  path: '/balances',
  summary: 'What each address holds.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.balancesAnswer,
  errors: [],
  handle: ({ held }) => {
    const { snapshot } = held.require().wallet;
    return snapshot.subWallets.map((subWallet) => ({ address: subWallet.address, ...snapshot.balanceOf(subWallet) }));
  },
});
