import type { walletApi } from '@wrkz/api';
import type { z } from 'zod';
import type { Open } from '../open-wallet';

/** Seconds of one block, by which a difficulty is told as a hash rate. */
const BLOCK_SECONDS = 60n;
/** Blocks that a synchronized wallet may be behind the network. */
const WALLET_SLACK = 10;

/** The answer of /status (docs/operations/wallet-api.md#status). */
export function statusRecord({
  wallet,
  nodes,
  nodeSwitch,
  sideFile,
  syncStatus,
}: Open): z.output<typeof walletApi.statusAnswer> {
  const {
    walletHeight,
    localHeight,
    networkHeight,
    peerCount,
    difficulty,
    liteStartHeight,
    gap,
    stall,
    unreadableBlocks,
  } = syncStatus();
  const { isViewWallet, subWallets } = wallet.snapshot.content;
  const isDaemonSynced = localHeight + 1 >= networkHeight;
  const isWalletSynced = walletHeight + WALLET_SLACK >= networkHeight;
  return {
    daemonLiteStartHeight: liteStartHeight,
    hashrate: difficulty / BLOCK_SECONDS,
    isDaemonSynced,
    isOutOfSync: !(isDaemonSynced && isWalletSynced),
    isSyncStalledByLiteNode: gap !== undefined,
    isViewWallet,
    isWalletSynced,
    localDaemonBlockCount: localHeight,
    networkBlockCount: networkHeight,
    nodes: nodes.nodes(),
    ...(nodeSwitch === undefined ? {} : { nodeSwitch }),
    peerCount,
    ...(sideFile.identity.lost === undefined ? {} : { sideFileLost: sideFile.identity.lost }),
    subWalletCount: subWallets.length,
    syncGapCoveredTo: gap?.coveredTo ?? 0,
    syncGapDaemonServesFrom: gap?.servesFrom ?? 0,
    ...(stall === undefined ? {} : { syncStall: stall }),
    unreadableBlocks,
    walletBlockCount: walletHeight,
  };
}
