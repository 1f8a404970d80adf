import { walletApi } from '@wrkz/api';
import { walletError } from '@wrkz/wallet-core';
import { filePlace } from '../file-names';
import { withSystemText } from '../system-text';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const postExportJson = declareWalletRoute({
  method: 'POST',
  path: '/export/json',
  summary: 'Writes the content of the wallet, keys and all, in plain.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.exportBody,
  answer: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ held, files }, { body }) => {
    const file = filePlace(body.filename, files);
    if (file === undefined) throw walletError.invalidWalletFilename('Permission denied');
    try {
      await held.withWallet(({ wallet }) => wallet.exportPlain(file));
    } catch (error) {
      throw withSystemText(error);
    }
    return undefined;
  },
});
