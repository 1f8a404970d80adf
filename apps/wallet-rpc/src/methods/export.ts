import { walletRpcApi } from '@wrkz/api';
import { exportPlace } from '../records/export-place';
import { applicationErrors, declareWalletMethod } from '../declare';

export const exportContainerMethod = declareWalletMethod({
  name: 'export',
  summary: 'Writes the container in plain JSON to a file of its folder, over what is there.',
  params: walletRpcApi.exportParams,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors('noSuchFile', 'cannotWrite'),
  handle: async ({ wallet, directory }, { fileName }) => {
    await wallet.exportPlain(exportPlace(directory, fileName));
    return {};
  },
});
