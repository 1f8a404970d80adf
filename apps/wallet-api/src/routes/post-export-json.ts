import { resolve } from 'node:path';
import { walletApi } from '@wrkz/api';
import { walletError } from '@wrkz/wallet-core';
import { isForeignFile, systemText } from '@wrkz/wallet-server';
import { type FilePlaces, filePlace } from '../file-names';
import { withSystemText } from '../system-text';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const postExportJson = declareWalletRoute({
  method: 'POST',
  path: '/export/json',
  summary: 'Writes the content of the wallet, keys and all, in plain. No wallet file is written over.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'admin' },
  body: walletApi.exportBody,
  answer: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ held, files }, { body }) => {
    const file = filePlace(body.filename, files);
    if (file === undefined) throw walletError.invalidWalletFilename(systemText(whyNone(body.filename, files)) ?? '');
    if (await isForeignFile(file)) throw walletError.invalidWalletFilename(systemText('EEXIST') ?? '');
    try {
      await held.withWallet(({ wallet }) => wallet.exportPlain(file));
    } catch (error) {
      throw withSystemText(error);
    }
    return undefined;
  },
});

/** What the system would say of a name that leads to no file within the folder. */
function whyNone(name: string, { directory }: FilePlaces): string {
  if (name === '') return 'ENOENT';
  return resolve(directory, name) === directory ? 'EISDIR' : 'EACCES';
}
