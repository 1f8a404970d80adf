import { walletApi } from '@wrkz/api';
import { Reply } from '@wrkz/service-kit';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const postAddressesImport = declareWalletRoute({
  method: 'POST',
  path: '/addresses/import',
  summary: 'Adds an address by its private spend key.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'admin' },
  body: walletApi.importAddressBody,
  answer: walletApi.addressAnswer,
  status: 201,
  errors: walletErrors(
    'illegalViewWalletOperation',
    'invalidPrivateKey',
    'subwalletAlreadyExists',
    'invalidWalletFilename',
  ),
  handle: async ({ held }, { body }) => {
    const { wallet } = held.require();
    const { address } = await wallet.importSubWallet(body.privateSpendKey, body.scanHeight ?? 0);
    return new Reply(201, { address });
  },
});
