import { walletRpcApi } from '@wrkz/api';
import { applicationError } from '../errors';
import { applicationErrors, declareWalletMethod } from './declare';

export const getStatusMethod = declareWalletMethod({
  name: 'getStatus',
  summary: 'Returns the block counts of the wallet, its node and the network, and why sends are paused.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.statusResult,
  errors: [],
  handle: ({ wallet, network }) => {
    const { localHeight, networkHeight, walletHeight, peerCount, isConverting } = wallet.syncStatus;
    const [top] = wallet.snapshot.content.progress.recentHashes;
    return {
      // Clients treat equal counts as synchronized, so the height of an unconfirmed converted history is not returned.
      blockCount: isConverting ? 1 : walletHeight + 1,
      ...(isConverting ? { converting: true as const } : {}),
      knownBlockCount: networkHeight + 1,
      lastBlockHash: top ?? network.genesis.hash.toString('hex'),
      localDaemonBlockCount: localHeight + 1,
      peerCount,
      sendsPaused: wallet.pause.current,
    };
  },
});

export const getBlockHashesMethod = declareWalletMethod({
  name: 'getBlockHashes',
  summary: 'Returns block hashes from an index up to the last block that the wallet has scanned.',
  params: walletRpcApi.blockHashesParams,
  paramsOptional: true,
  result: walletRpcApi.blockHashesResult,
  errors: applicationErrors('wrongParameters', 'nodeAway'),
  handle: async ({ wallet, blockHashes }, { firstBlockIndex, blockCount }) => {
    const end = Math.min(firstBlockIndex + blockCount, wallet.snapshot.content.progress.height + 1);
    if (end - firstBlockIndex > blockHashes.maxCount) throw applicationError('wrongParameters');
    return { blockHashes: await blockHashes.range(firstBlockIndex, end) };
  },
});

export const getFeeInfoMethod = declareWalletMethod({
  name: 'getFeeInfo',
  summary: 'Returns an empty address and amount 0: nodes charge no fee of their own.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.feeInfo,
  errors: [],
  handle: () => ({ address: '', amount: 0n }),
});

export const getNodeFeeInfoMethod = declareWalletMethod({
  name: 'getNodeFeeInfo',
  summary: 'Returns an empty address and amount 0: nodes charge no fee of their own.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.feeInfo,
  errors: [],
  handle: () => ({ address: '', amount: 0n }),
});
