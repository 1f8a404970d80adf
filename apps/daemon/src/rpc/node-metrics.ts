import type { Metrics, RequestCounters } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { daemonApi } from '@wrkz/api';

type Info = z.output<typeof daemonApi.infoAnswer>;

/** A figure of `/info` under the name that the network's other nodes give it (docs/protocol/rpc.md#metrics). */
const FIGURES: readonly (readonly [name: string, help: string, of: (info: Info) => number | bigint | boolean])[] = [
  ['wrkz_height', 'Blocks of the main chain', ({ height }) => height],
  ['wrkz_network_height', 'Blocks that peers tell', ({ network_height: height }) => height],
  [
    'wrkz_blocks_behind',
    'Blocks that peers tell and this node lacks',
    (info) => Math.max(0, info.network_height - info.height),
  ],
  ['wrkz_synchronized', 'Whether the node has all blocks that peers tell', ({ synced }) => synced],
  ['wrkz_difficulty', 'Difficulty of the next block', ({ difficulty }) => difficulty],
  ['wrkz_transactions', 'Transactions of the main chain without coinbases', ({ tx_count: count }) => count],
  ['wrkz_pool_transactions', 'Transactions in the pool', ({ tx_pool_size: size }) => size],
  ['wrkz_alternative_blocks', 'Blocks kept on side branches', ({ alt_blocks_count: count }) => count],
  ['wrkz_sync_active_peers', 'Peers that blocks are fetched from', ({ sync_active_peers: count }) => count],
  ['wrkz_block_major_version', 'Major version of the newest block', ({ major_version: version }) => version],
  ['wrkz_start_time_seconds', 'Unix seconds of the start', ({ start_time: time }) => time],
];

const CONNECTIONS = { incoming: 'incoming_connections_count', outgoing: 'outgoing_connections_count' } as const;
const PEER_LISTS = { white: 'white_peerlist_size', grey: 'grey_peerlist_size' } as const;

/**
 * Publishes the state of the node, read once a scrape. While the chain cannot be read `wrkz_info_available` is 0 and the
 * figures of the state are left out.
 * @param info what `/info` would answer; undefined while it cannot
 */
export function publishNode({ shared }: Metrics, info: () => Info | undefined): void {
  // A scrape asks the metrics in the order in which they were made, so this one reads for all that follow.
  let now: Info | undefined;
  shared.gauge('wrkz_info_available', 'Whether the state of the node can be read', [], (gauge) => {
    now = info();
    gauge.set(now === undefined ? 0 : 1);
  });
  for (const [name, help, of] of FIGURES) {
    shared.gauge(name, help, [], (gauge) => (now === undefined ? gauge.remove() : gauge.set(Number(of(now)))));
  }
  const groups = [
    ['wrkz_connections', 'Connections with peers', 'direction', CONNECTIONS],
    ['wrkz_peerlist_size', 'Addresses in the peer lists', 'list', PEER_LISTS],
  ] as const;
  for (const [name, help, label, members] of groups) {
    shared.gauge(name, help, [label], (gauge) => {
      for (const [value, member] of Object.entries(members)) {
        if (now === undefined) gauge.remove(value);
        else gauge.set({ [label]: value } as Record<typeof label, string>, now[member]);
      }
    });
  }
}

const CLASSES = { ok: [0, 399], client_error: [400, 499], server_error: [500, 999] } as const;

/** Publishes what was asked and how it was answered, by class of status. */
export function publishAnswers({ shared }: Metrics, counters: RequestCounters): void {
  shared.counted('wrkz_rpc_requests_total', 'Requests since the start', () => counters.requests);
  shared.counted(
    'wrkz_rpc_responses_total',
    'Answers since the start, by class of status',
    Object.entries(CLASSES).map(([name, [from, to]]) => [
      { class: name },
      () => [...counters.byStatus].reduce((sum, [status, n]) => (status >= from && status <= to ? sum + n : sum), 0),
    ]),
  );
  shared.counted('wrkz_rpc_gzip_responses_total', 'Compressed answers since the start', () => counters.compressed);
}
