import { walletApi } from '@wrkz/api';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const deleteAddressesAddress = declareWalletRoute({
  method: 'DELETE',
  path: '/addresses/{address}',
  summary: 'Removes an address with what it holds; the primary one stays.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  params: walletApi.addressParams,
  answer: walletApi.noContent,
  errors: walletErrors('addressNotValid', 'addressNotInWallet', 'cannotDeletePrimaryAddress', 'invalidWalletFilename'),
  handle: async ({ held }, { path }) => {
    await held.require().wallet.removeSubWallet(path.address);
    return undefined;
  },
});
