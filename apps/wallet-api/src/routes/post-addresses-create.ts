import { walletApi } from '@wrkz/api';
import { Reply } from '@wrkz/service-kit';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const postAddressesCreate = declareWalletRoute({
  method: 'POST',
  path: '/addresses/create',
  summary: 'Makes the next deterministic address. A key that is not for everything is not told its private key.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'receive' },
  answer: walletApi.createdAddressAnswer,
  status: 201,
  errors: walletErrors('illegalViewWalletOperation', 'walletIndexTooLarge', 'invalidWalletFilename'),
  handle: async ({ held, keys }, { http }) => {
    const { address, privateSpendKey, publicSpendKey, walletIndex } = await held.require().wallet.createSubWallet();
    const isTold = keys.grantOf(http.request).scope === 'admin';
    return new Reply(201, { address, ...(isTold ? { privateSpendKey } : {}), publicSpendKey, walletIndex });
  },
});
