import { walletApi } from '@wrkz/api';
import { Reply } from '@wrkz/service-kit';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const postAddressesImportView = declareWalletRoute({
  method: 'POST',
  path: '/addresses/import/view',
  summary: 'Adds an address to a view wallet by its public spend key.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.importViewAddressBody,
  answer: walletApi.addressAnswer,
  status: 201,
  errors: walletErrors(
    'invalidPublicKey',
    'illegalNonViewWalletOperation',
    'subwalletAlreadyExists',
    'invalidWalletFilename',
  ),
  handle: async ({ held }, { body }) => {
    const { wallet } = held.require();
    const { address } = await wallet.importViewSubWallet(body.publicSpendKey, body.scanHeight ?? 0);
    return new Reply(201, { address });
  },
});
