import { walletApi } from '@wrkz/api';
import { Reply } from '@wrkz/service-kit';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const postAddressesImportDeterministic = declareWalletRoute({
  method: 'POST',
  path: '/addresses/import/deterministic',
  summary: 'Adds the deterministic address of an index.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'admin' },
  body: walletApi.importDeterministicBody,
  answer: walletApi.addressAnswer,
  status: 201,
  errors: walletErrors(
    'illegalViewWalletOperation',
    'walletIndexTooLarge',
    'subwalletAlreadyExists',
    'invalidWalletFilename',
  ),
  handle: async ({ held }, { body }) => {
    const { wallet } = held.require();
    const { address } = await wallet.importDeterministicSubWallet(body.walletIndex, body.scanHeight ?? 0);
    return new Reply(201, { address });
  },
});
