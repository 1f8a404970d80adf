import type { ConsoleCommand, ConsoleContext } from '../command';
import { nodeFacts } from '../node-facts';
import { percentText, sizeText, yesNo } from '../text/format';
import { grid, labelLines } from '../text/tables';

function heights(context: ConsoleContext): string {
  const { height, network_height: target } = nodeFacts(context, 'Problem retrieving sync information from RPC server.');
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
    const info = nodeFacts(context, 'Problem retrieving prune status from RPC server.');
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
      ]) + (floor === 0 ? '' : belowText(lite))
    );
  },
};

function belowText(lite: number | undefined): string {
  return lite === undefined
    ? 'Below it everything but the bytes of blocks is kept: wallets rescan from the first block on.\n'
    : 'Below it block info, spent key images and outputs are kept: wallets rescan from there on.\n';
}
