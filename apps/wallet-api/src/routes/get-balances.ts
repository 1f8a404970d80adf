import { walletApi } from '@wrkz/api';
import { declareRoute, KEY } from './declare';

export const getBalances = declareRoute({
  method: 'GET',
  path: '/balances',
  summary: 'What each address holds.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  answer: walletApi.balancesAnswer,
  errors: [],
  handle: ({ held }) => {
    const { snapshot } = held.require().wallet;
    return snapshot.subWallets.map(({ address, publicSpendKey }) => ({ address, ...snapshot.balance([publicSpendKey]) }));
  },
});
