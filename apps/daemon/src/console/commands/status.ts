import type { Network } from '@wrkz/core-types';
import { VERSION } from '@wrkz/service-kit';
import { type ConsoleCommand, type ConsoleContext, infoOrFailure } from '../command';
import {
  grid,
  labelLines,
  labelTable,
  peerIdText,
  percentText,
  rateText,
  sizeText,
  uptimeText,
  yesNo,
} from '../format';

export const status: ConsoleCommand = {
  name: 'status',
  help: 'Show daemon status',
  run: (context) => {
    const { network, rpc, peers } = context;
    const info = infoOrFailure(context, 'Problem retrieving information from RPC server.');
    const refused = rpc.refusedBranch?.();
    const missed = missedFork(network, info.network_height);
    const stage =
      info.height < info.lite_start_height ? [row('Lite Sync Stage', 'Index only (below lite height)')] : [];
    const table = labelTable([
      row('Local Height', info.height),
      row('Network Height', info.network_height),
      row('Percentage Synced', `${percentText(info.height, info.network_height)}%`),
      row('Network Hashrate', rateText(info.hashrate)),
      row('Difficulty', info.difficulty),
      row('Block Version', `v${info.major_version}`),
      row('Incoming Connections', info.incoming_connections_count),
      row('Outgoing Connections', info.outgoing_connections_count),
      row('Uptime', uptimeText(rpc.now() - info.start_time)),
      row('Fork Status', forkStatus(network, info.network_height)),
      row('Next Fork', forkTime(network, info.network_height)),
      row('Transaction Pool Size', info.tx_pool_size),
      row('Alternative Block Count', info.alt_blocks_count),
      ...(refused === undefined
        ? []
        : [
            row(
              'Refused Branch',
              `Block ${refused.height}, forks from our chain at block ${refused.fork} (see the log)`,
            ),
          ]),
      row('DB Engine', 'SQLite'),
      row('Pruned Node', yesNo(info.pruned)),
      row('Prune Depth', info.prune_depth),
      row('Prune Capability Fork Active', yesNo(info.prune_capability_active)),
      row('Lite Node', yesNo(info.lite)),
      ...(info.lite ? [row('Full Block Data From', info.lite_start_height), ...stage] : []),
      row('Active Sync Peers', info.sync_active_peers),
      row('Avg Sync Batch Size', info.sync_avg_batch_size),
      row('Demoted Sync Peers', info.sync_demoted_peers),
      row('P2P Listening On', context.listensAt),
      row('Peer ID', peerIdText(peers.peerId)),
      row('White / Gray Peers', `${info.white_peerlist_size} / ${info.grey_peerlist_size}`),
      row('WrkzCoin Version', VERSION),
    ]);
    if (missed === undefined) return table;
    return `${table}The network forked at height ${missed}, please update your software.\n`;
  },
};

function row(label: string, value: string | number | bigint): readonly [string, string] {
  return [label, String(value)];
}

function heights(context: ConsoleContext): string {
  const { height, network_height: target } = infoOrFailure(
    context,
    'Problem retrieving sync information from RPC server.',
  );
  return `Height: ${height} / ${target} (${percentText(height, target)}%)\n`;
}

export const heightCommand: ConsoleCommand = {
  name: 'height',
  help: 'Print the local and network height',
  run: heights,
};

export const syncInfo: ConsoleCommand = {
  name: 'sync_info',
  help: 'Show compact synchronization information',
  run: heights,
};

export const syncPeers: ConsoleCommand = {
  name: 'sync_peers',
  help: 'Show current sync peer diagnostics',
  run: ({ peers, rpc }) => {
    const sync = rpc.peers.sync();
    const lines = labelLines([
      ['Sync Active Peers', sync.activePeers],
      ['Average Sync Batch Size', sync.averageBatchSize],
      ['Demoted Sync Peers (lifetime)', sync.demotedPeers],
    ]);
    const rows = peers.peers().flatMap(({ address, height: claimed, share }) => {
      if (share === undefined) return [];
      const state = share.active ? 'active' : 'late';
      return [[address, state, claimed, share.batch, share.delivered, share.failures].map(String)];
    });
    if (rows.length === 0) return lines;
    return lines + grid(['Remote', 'State', 'Height', 'Batch', 'Delivered', 'Fail'], rows);
  },
};

export const syncTune: ConsoleCommand = {
  name: 'sync_tune',
  help: 'Show current sync tuning and adaptive sync stats',
  run: ({ peers, rpc }) => {
    const sync = rpc.peers.sync();
    const { settings } = peers;
    return labelLines([
      ['Active Sync Peers', sync.activePeers],
      ['Average Sync Batch Size', sync.averageBatchSize],
      ['Demoted Sync Peers', sync.demotedPeers],
      ['Configured Sync Max Peers', settings.syncMaxPeers],
      ['Configured P2P Out/In Peers', `${settings.outPeers}/${settings.inPeers}`],
      ['Configured Sync Failure Threshold', settings.syncPeerFailureThreshold],
      ['Configured Sync Batch Min/Max', `${settings.syncBatchMin}/${settings.syncBatchMax}`],
      ['Configured Block Sync Size', settings.blockSyncSize],
      ['Configured Block Sync Bytes', sizeText(settings.blockSyncBytes)],
    ]);
  },
};

export const pruneStatus: ConsoleCommand = {
  name: 'prune_status',
  help: 'Show prune mode and capability status',
  run: (context) => {
    const info = infoOrFailure(context, 'Problem retrieving prune status from RPC server.');
    const { bodies: floor, lite } = context.rpc.reader.floors();
    return (
      labelLines([
        ['Pruned Node', yesNo(info.pruned)],
        ['Prune Depth', info.prune_depth],
        ['Approx Prune Floor Height', Math.max(0, info.height - info.prune_depth)],
        ['Prune Capability Fork Active', yesNo(info.prune_capability_active)],
        ['Lite Node', yesNo(info.lite)],
        ...(lite === undefined ? [] : [['Lite Height', `${lite} (permanent for this database)`] as const]),
        ['Serves Block Data From', floor === 0 ? '0 (the whole chain)' : floor],
      ]) + (floor === 0 ? '' : belowFloorText(lite))
    );
  },
};

function belowFloorText(lite: number | undefined): string {
  return lite === undefined
    ? 'Below it everything but the bytes of blocks is kept: wallets rescan from the first block on.\n'
    : 'Below it block info, spent key images and outputs are kept: wallets rescan from there on.\n';
}

const BLOCKS_PER_DAY = 1440;
/** Days before a fork from which on the status is `Forking Soon`. */
const FORK_SOON_DAYS = 30;

type Forks = Pick<Network, 'upgradeHeights' | 'supportedHeight'>;

/** Whether this version supports the next fork of the network. @param height of the network, a count */
export function forkStatus({ upgradeHeights, supportedHeight }: Forks, height: number): string {
  if (missedFork({ upgradeHeights, supportedHeight }, height) !== undefined) return 'Likely Forked';
  const next = nextFork(upgradeHeights, height);
  if (next === undefined || next - height >= FORK_SOON_DAYS * BLOCKS_PER_DAY) return 'Up To Date';
  return supportedHeight < next ? 'Update Needed' : 'Forking Soon';
}

/** Time until the next fork. */
export function forkTime({ upgradeHeights }: Forks, height: number): string {
  if (upgradeHeights.includes(height)) return 'Now!';
  const next = nextFork(upgradeHeights, height);
  if (next === undefined) return 'No Fork Planned';
  const days = (next - height) / BLOCKS_PER_DAY;
  return days < 1 ? `${(days * 24).toFixed(2)} Hours` : `${days.toFixed(2)} Days`;
}

/** The first fork that the network has passed and this version does not support. */
export function missedFork({ upgradeHeights, supportedHeight }: Forks, height: number): number | undefined {
  return upgradeHeights.find((fork) => fork > supportedHeight && fork <= height);
}

function nextFork(upgradeHeights: readonly number[], height: number): number | undefined {
  return upgradeHeights.find((fork) => fork > height);
}
