import { walletRpcApi } from '@wrkz/api';
import { isForeignFile } from '@wrkz/wallet-server';
import { exportPlace } from '../records/export-place';
import { systemRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const exportContainerMethod = declareWalletMethod({
  name: 'export',
  summary: 'Writes the container in plain JSON to a file of its folder; over an earlier export, and over nothing else.',
  params: walletRpcApi.exportParams,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors('noSuchFile', 'cannotWrite'),
  handle: async ({ wallet, directory }, { fileName }) => {
    const place = exportPlace(directory, fileName);
    if (await isForeignFile(place)) throw systemRefusal('EEXIST');
    await wallet.exportPlain(place);
    return {};
  },
});
