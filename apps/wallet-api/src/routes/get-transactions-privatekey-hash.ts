import { walletApi } from '@wrkz/api';
import { walletError } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getTransactionsPrivateKeyHash = declareWalletRoute({
  method: 'GET',
  path: '/transactions/privatekey/{hash}',
  summary: 'The key by which a send of this wallet is proved.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  params: walletApi.hashParams,
  answer: walletApi.transactionKeyAnswer,
  errors: walletErrors('illegalViewWalletOperation', 'txPrivateKeyNotFound'),
  handle: ({ held }, { path }) => {
    const key = held.require().wallet.snapshot.transactionKey(path.hash);
    if (key === undefined) throw walletError.txPrivateKeyNotFound();
    return { transactionPrivateKey: key };
  },
});
