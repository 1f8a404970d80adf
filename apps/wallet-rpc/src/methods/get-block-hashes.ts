import { walletRpcApi } from '@wrkz/api';
import { applicationRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getBlockHashesMethod = declareWalletMethod({
  name: 'getBlockHashes',
  summary: 'Hashes of blocks from an index on, as far as the wallet has read.',
  params: walletRpcApi.blockHashesParams,
  paramsOptional: true,
  result: walletRpcApi.blockHashesResult,
  errors: applicationErrors('wrongParameters', 'nodeAway'),
  handle: async ({ wallet, blockHashes }, { firstBlockIndex, blockCount }) => {
    const end = Math.min(firstBlockIndex + blockCount, wallet.snapshot.content.progress.height + 1);
    if (end - firstBlockIndex > blockHashes.most) throw applicationRefusal('wrongParameters');
    return { blockHashes: await blockHashes.range(firstBlockIndex, end) };
  },
});
