import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { walletRpcApi } from '@wrkz/api';
import { isForeignFile } from '@wrkz/wallet-server';
import { applicationError, systemError } from '../errors';
import { applicationErrors, declareWalletMethod } from './declare';

export const containerMethods = [
  declareWalletMethod({
    name: 'save',
    summary: 'Saves the container to disk.',
    params: walletRpcApi.noParams,
    result: walletRpcApi.done,
    errors: applicationErrors('cannotWrite', 'walletDatabaseDamaged'),
    handle: async ({ wallet }) => {
      await wallet.save();
      return {};
    },
  }),
  declareWalletMethod({
    name: 'export',
    summary:
      'Exports the container as unencrypted JSON to a file in its folder. Only an earlier export is overwritten.',
    params: walletRpcApi.exportParams,
    result: walletRpcApi.done,
    errors: applicationErrors('noSuchFile', 'cannotWrite'),
    handle: async ({ wallet, directory }, { fileName }) => {
      const place = exportPath(directory, fileName);
      if (await isForeignFile(place)) throw systemError('EEXIST');
      await wallet.exportPlain(place);
      return {};
    },
  }),
  declareWalletMethod({
    name: 'reset',
    summary: 'Discards the transaction history and rescans the chain from a height.',
    params: walletRpcApi.resetParams,
    result: walletRpcApi.done,
    errors: applicationErrors('wrongParameters', 'cannotWrite', 'walletDatabaseDamaged'),
    handle: async ({ wallet, pool }, { scanHeight }) => {
      await wallet.reset(scanHeight);
      pool.rescan();
      return {};
    },
  }),
];

/**
 * The path of a file name in a request, with links resolved.
 * @throws noSuchFile for a missing folder, and for a path outside the folder of the container
 */
export function exportPath(directory: string, name: string): string {
  const missing = applicationError('noSuchFile');
  if (name === '' || name.includes('\0')) throw missing;
  const path = resolve(directory, name);
  const folder = realPath(dirname(path));
  const own = realPath(directory);
  const isWithin = folder !== undefined && own !== undefined && (folder === own || folder.startsWith(join(own, '/')));
  if (!isWithin || path === directory) throw missing;
  return join(folder, basename(path));
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
