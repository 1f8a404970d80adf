import { walletRpcApi } from '@wrkz/api';
import { blockHashes } from '../blocks';
import { applicationError } from '../errors';
import { applicationErrors, declareWalletMethod } from './declare';

export const statusMethods = [
  declareWalletMethod({
    name: 'getStatus',
    summary: 'Returns the block counts of the wallet, its node and the network, and why sends are paused.',
    params: walletRpcApi.noParams,
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
  }),
  declareWalletMethod({
    name: 'getBlockHashes',
    summary: 'Returns block hashes from an index up to the last block that the wallet has scanned.',
    params: walletRpcApi.blockHashesParams,
    result: walletRpcApi.blockHashesResult,
    errors: applicationErrors('wrongParameters', 'nodeAway'),
    handle: async ({ wallet, nodes, maxHashes }, { firstBlockIndex, blockCount }) => {
      const end = Math.min(firstBlockIndex + blockCount, wallet.snapshot.content.progress.height + 1);
      if (end - firstBlockIndex > maxHashes) throw applicationError('wrongParameters');
      return { blockHashes: await blockHashes(nodes, firstBlockIndex, end) };
    },
  }),
  declareWalletMethod({
    name: 'getFeeInfo',
    summary: 'Returns an empty address and amount 0: nodes charge no fee of their own.',
    params: walletRpcApi.noParams,
    result: walletRpcApi.feeInfo,
    errors: [],
    handle: () => ({ address: '', amount: 0n }),
  }),
  declareWalletMethod({
    name: 'getNodeFeeInfo',
    summary: 'Returns an empty address and amount 0: nodes charge no fee of their own.',
    params: walletRpcApi.noParams,
    result: walletRpcApi.feeInfo,
    errors: [],
    handle: () => ({ address: '', amount: 0n }),
  }),
];
