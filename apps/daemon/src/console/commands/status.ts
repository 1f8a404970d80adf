import { VERSION } from '@wrkz/service-kit';
import type { ConsoleCommand } from '../command';
import { nodeFacts } from '../node-facts';
import { forkStatus, forkTime, missedFork } from '../text/fork-status';
import { peerIdText, percentText, rateText, uptimeText, yesNo } from '../text/format';
import { labelTable } from '../text/tables';

const DAEMON_STATUS = 'Problem retrieving information from RPC server.';

export const status: ConsoleCommand = {
  name: 'status',
  help: 'Show daemon status',
  run: (context) => {
    const { network, rpc, peers } = context;
    const info = nodeFacts(context, DAEMON_STATUS);
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
        : [row('Refused Branch', `Block ${refused.height}, leaves our chain at block ${refused.fork} (see the log)`)]),
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
