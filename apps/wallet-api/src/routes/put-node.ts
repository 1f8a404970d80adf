import { walletApi } from '@wrkz/api';
import { nodeChoice } from '@wrkz/wallet-server';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const putNode = declareWalletRoute({
  method: 'PUT',
  path: '/node',
  summary: 'Goes on with the same progress at another node, reachable or not.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.setNodeBody,
  answer: walletApi.noContent,
  errors: walletErrors('daemonOffline'),
  handle: async ({ held, network }, { body }) => {
    await held.setNode(nodeChoice(body, { network }));
    return undefined;
  },
});
