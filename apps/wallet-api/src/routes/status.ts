import { walletApi } from '@wrkz/api';
import type { z } from 'zod';
import type { OpenWallet } from '../wallet-manager';
import { access, declareWalletRoute, type WalletRoute } from './declare';

/** Block time: hash rate = difficulty / block time. */
const BLOCK_SECONDS = 60n;
/** Max number of blocks that a synchronized wallet is behind the network. */
const MAX_LAG_BLOCKS = 10;

const getStatus = declareWalletRoute({
  method: 'GET',
  path: '/status',
  summary: 'Returns the synchronization status of the wallet and its node.',
  description:
    'Poll it until `isWalletSynced` is true before you rely on balances. The fields named `*BlockCount` are block ' +
    'heights; those of the node are 0 until it first responds. `syncStall` is the reason why the wallet makes no ' +
    'progress, `nodes` lists the nodes, `nodeSwitch` is the last failover. `hashrate` is in hashes per second.',
  ...access('read'),
  response: walletApi.statusResponse,
  errors: [],
  handle: ({ wallets }) => statusRecord(wallets.require()),
});

/** docs/operations/wallet-api.md#status */
function statusRecord({ wallet, nodes, nodeSwitch }: OpenWallet): z.output<typeof walletApi.statusResponse> {
  const sync = wallet.syncStatus;
  const { walletHeight, localHeight, networkHeight, gap, stall, isConverting, scanStart } = sync;
  const { isViewWallet, subWallets } = wallet.snapshot.content;
  const isDaemonSynced = localHeight + 1 >= networkHeight;
  // The height of the network is unknown before the first response of a node.
  const isKnown = networkHeight > 0;
  const isWalletSynced = isKnown && !isConverting && walletHeight + MAX_LAG_BLOCKS >= networkHeight;
  return {
    converting: isConverting,
    daemonLiteStartHeight: sync.liteStartHeight,
    hashrate: sync.difficulty / BLOCK_SECONDS,
    isDaemonSynced,
    isOutOfSync: !(isDaemonSynced && isWalletSynced),
    isSyncStalledByLiteNode: gap !== undefined,
    isViewWallet,
    isWalletSynced,
    localDaemonBlockCount: localHeight,
    networkBlockCount: networkHeight,
    nodes: nodes.nodes(),
    ...(nodeSwitch === undefined ? {} : { nodeSwitch }),
    peerCount: sync.peerCount,
    scanStartHeight: scanStart.height,
    scanStartTimestamp: scanStart.timestamp,
    ...(wallet.pause.current === undefined ? {} : { sendsPaused: wallet.pause.current }),
    subWalletCount: subWallets.length,
    syncGapCoveredTo: gap?.coveredTo ?? 0,
    syncGapDaemonServesFrom: gap?.servesFrom ?? 0,
    ...(stall === undefined ? {} : { syncStall: stall }),
    unreadableBlocks: sync.unreadableBlocks,
    walletBlockCount: walletHeight,
  };
}

export const STATUS_ROUTES: readonly WalletRoute[] = [getStatus];
