import type { daemonApi } from '@wrkz/api';
import type { Metrics, RequestCounters } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { SyncCache } from './sync-cache';

type Info = z.output<typeof daemonApi.infoResponse>;

/** Values of `/info` with the metric names of the network's other nodes (docs/protocol/rpc.md#metrics). */
const VALUES: readonly (readonly [name: string, help: string, of: (info: Info) => number | bigint | boolean])[] = [
  ['wrkz_height', 'Blocks of the main chain', ({ height }) => height],
  ['wrkz_network_height', 'Blocks that peers report', ({ network_height: height }) => height],
  [
    'wrkz_blocks_behind',
    'Blocks that peers report and this node does not have',
    (info) => Math.max(0, info.network_height - info.height),
  ],
  ['wrkz_synchronized', 'Whether the node has all blocks that peers report', ({ synced }) => synced],
  ['wrkz_difficulty', 'Difficulty of the next block', ({ difficulty }) => difficulty],
  ['wrkz_transactions', 'Transactions of the main chain without coinbases', ({ tx_count: count }) => count],
  ['wrkz_pool_transactions', 'Transactions in the pool', ({ tx_pool_size: size }) => size],
  ['wrkz_alternative_blocks', 'Blocks stored on side branches', ({ alt_blocks_count: count }) => count],
  ['wrkz_sync_active_peers', 'Peers that blocks are downloaded from', ({ sync_active_peers: count }) => count],
  ['wrkz_block_major_version', 'Major version of the newest block', ({ major_version: version }) => version],
  ['wrkz_start_time_seconds', 'Unix seconds of the start', ({ start_time: time }) => time],
];

const CONNECTIONS = { incoming: 'incoming_connections_count', outgoing: 'outgoing_connections_count' } as const;
const PEER_LISTS = { white: 'white_peerlist_size', grey: 'grey_peerlist_size' } as const;

/**
 * Publishes the state of the node, read once for each scrape. While the chain cannot be read `wrkz_info_available` is 0 and
 * the values of the state are left out.
 * @param info the response of `/info`; undefined while the chain cannot be read
 */
export function publishNode({ shared }: Metrics, info: () => Info | undefined): void {
  // A scrape collects the metrics in the order of their registration, so this one reads for all that follow.
  let now: Info | undefined;
  shared.gauge('wrkz_info_available', 'Whether the state of the node can be read', [], (gauge) => {
    now = info();
    gauge.set(now === undefined ? 0 : 1);
  });
  for (const [name, help, of] of VALUES) {
    shared.gauge(name, help, [], (gauge) => (now === undefined ? gauge.remove() : gauge.set(Number(of(now)))));
  }
  const groups = [
    ['wrkz_connections', 'Connections with peers', 'direction', CONNECTIONS],
    ['wrkz_peerlist_size', 'Addresses in the peer lists', 'list', PEER_LISTS],
  ] as const;
  for (const [name, help, label, fields] of groups) {
    shared.gauge(name, help, [label], (gauge) => {
      for (const [value, field] of Object.entries(fields)) {
        if (now === undefined) gauge.remove(value);
        else gauge.set({ [label]: value } as Record<typeof label, string>, now[field]);
      }
    });
  }
}

const CLASSES = { ok: [0, 399], client_error: [400, 499], server_error: [500, 999] } as const;

/** Publishes the numbers of requests and responses, by class of status. */
export function publishRequests({ shared }: Metrics, counters: RequestCounters): void {
  shared.counted('wrkz_rpc_requests_total', 'Requests since the start', () => counters.requests);
  shared.counted(
    'wrkz_rpc_responses_total',
    'Responses since the start, by class of status',
    Object.entries(CLASSES).map(([name, [from, to]]) => [
      { class: name },
      () => [...counters.byStatus].reduce((sum, [status, n]) => (status >= from && status <= to ? sum + n : sum), 0),
    ]),
  );
  shared.counted('wrkz_rpc_gzip_responses_total', 'Compressed responses since the start', () => counters.compressed);
}

/** Publishes size and hits of the wallet-sync cache, under the names of the network's other nodes. */
export function publishSyncCache({ shared }: Metrics, cache: Pick<SyncCache, 'figures'> | undefined): void {
  const now = (): SyncCache['figures'] => cache?.figures ?? { bytes: 0, entries: 0, hits: 0, misses: 0 };
  shared.gauge('wrkz_rpc_sync_cache_bytes', 'Bytes of cached wallet-sync responses', [], (gauge) =>
    gauge.set(now().bytes),
  );
  shared.gauge('wrkz_rpc_sync_cache_entries', 'Cached wallet-sync responses', [], (gauge) => gauge.set(now().entries));
  shared.counted('wrkz_rpc_sync_cache_hits_total', 'Wallet-sync responses from the cache', () => now().hits);
  shared.counted(
    'wrkz_rpc_sync_cache_misses_total',
    'Wallet-sync responses that may be cached and were not in the cache',
    () => now().misses,
  );
}
