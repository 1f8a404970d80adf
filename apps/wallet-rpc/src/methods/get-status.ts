import { walletRpcApi } from '@wrkz/api';
import { declareWalletMethod } from '../declare';

export const getStatusMethod = declareWalletMethod({
  name: 'getStatus',
  summary: 'Where the wallet, its node and the network stand.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.statusResult,
  errors: [],
  handle: ({ wallet, syncStatus, network }) => {
    const { localHeight, networkHeight, walletHeight, peerCount } = syncStatus();
    const [top] = wallet.snapshot.content.progress.recentHashes;
    return {
      blockCount: walletHeight + 1,
      knownBlockCount: networkHeight + 1,
      lastBlockHash: top ?? network.genesis.hash.toString('hex'),
      localDaemonBlockCount: localHeight + 1,
      peerCount,
    };
  },
});
