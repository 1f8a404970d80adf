import { walletApi } from '@wrkz/api';
import { refusal } from '@wrkz/service-kit';
import { declareWalletRoute, KEY_WANTED, NOT_FOUND, walletErrors } from './declare';

export const deleteTransactionsPreparedHash = declareWalletRoute({
  method: 'DELETE',
  path: '/transactions/prepared/{hash}',
  summary: 'Forgets what was prepared.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  params: walletApi.preparedParams,
  answer: walletApi.noContent,
  errors: [...walletErrors('illegalViewWalletOperation'), NOT_FOUND],
  handle: ({ held, keys, prepared }, { path, http }) => {
    const { wallet } = held.require();
    const isTheirs = prepared.isFor(keys.grantOf(http.request), path.hash);
    if (!isTheirs || !wallet.deletePrepared(path.hash)) throw refusal('not_found');
    return undefined;
  },
});
