import { daemonApi } from '@wrkz/api';
import { DIFFICULTY_TARGET } from '@wrkz/core-types';
import { healthRoutes, Reply, VERSION } from '@wrkz/service-kit';
import { z } from 'zod';
import { isPruned, type RpcContext } from '../context';
import { type DaemonRoute, guarded, route } from '../declare';
import { readIfAvailable, readOrBusy, refuse } from '../errors';

const { busy, internal } = daemonApi.refusals;

/** Optional features of the wallet sync, in the order in which the network's other nodes list them. */
const SYNC_FEATURES = ['skipEmptyBlocks', 'base64', 'heightRange'];

/** `<major>.<minor>.<revision>`, without the build number. */
const SHORT_VERSION = VERSION.split('.').slice(0, 3).join('.');

/** The response of `/info`. @throws the error of SQLite while the chain cannot be read */
export function nodeInfo(context: RpcContext): z.output<typeof daemonApi.infoResponse> {
  const { network, peers, reader } = context;
  const { tip, transactionCount, alternativeCount, floors } = reader.cached('info', () =>
    reader.snapshot(() => ({
      tip: reader.tip(),
      transactionCount: reader.transactionCount(),
      alternativeCount: reader.alternativeCount(),
      floors: reader.floors(),
    })),
  );
  const height = tip.height + 1;
  const connections = peers.connections();
  const lists = peers.peerListSizes();
  const sync = peers.sync();
  const networkHeight = Math.max(1, peers.networkHeight());
  const difficulty = context.nextDifficulty();
  const branch = context.heavierBranch(tip.cumulativeDifficulty);
  // A lite node does not store the versions below its first height; the C++ nodes return 0 there.
  const isStored = tip.height === 0 || tip.height >= floors.records;
  return {
    alt_blocks_count: alternativeCount,
    compression: 'gzip',
    difficulty,
    grey_peerlist_size: lists.gray,
    hashrate: difficulty / BigInt(DIFFICULTY_TARGET),
    ...(branch && { heavier_branch: branch }),
    height,
    incoming_connections_count: connections.incoming,
    last_known_block_index: Math.max(1, peers.observedHeight()) - 1,
    last_seed_bootstrap: peers.lastSeedBootstrap(),
    lite: floors.lite !== undefined,
    lite_start_height: floors.lite ?? 0,
    major_version: isStored ? tip.majorVersion : 0,
    minor_version: isStored ? tip.minorVersion : 0,
    network_height: networkHeight,
    outgoing_connections_count: connections.outgoing,
    prune_capability_active: height > network.supportedHeight,
    prune_depth: context.storage.pruneDepth,
    pruned: isPruned(floors, context.storage),
    seed_nodes_count: peers.seedCount(),
    start_time: context.startTime,
    status: 'OK',
    supported_height: network.supportedHeight,
    sync_active_peers: sync.activePeers,
    sync_avg_batch_size: sync.averageBatchSize,
    sync_demoted_peers: sync.demotedPeers,
    sync_features: SYNC_FEATURES,
    synced: height === networkHeight,
    top_block_hash: tip.hash.toString('hex'),
    tx_count: transactionCount - height,
    tx_pool_size: context.pool.size,
    upgrade_heights: [...network.upgradeHeights],
    version: SHORT_VERSION,
    white_peerlist_size: lists.white,
  };
}

export const info = route({
  method: 'GET',
  path: '/info',
  summary: 'State and features of the node: chain, peers, pool, storage.',
  ...guarded('chain and node'),
  response: daemonApi.infoResponse,
  errors: [busy, internal],
  handle: (context) =>
    readOrBusy(
      () => nodeInfo(context),
      () => refuse(busy),
    ),
});

export const getinfo = route({ ...info, path: '/getinfo' });

/** Heights are counts. The response has no `hash`: its absence tells miners of the Monero family that this is CryptoNote. */
export const height = route({
  method: 'GET',
  path: '/height',
  summary: 'Number of blocks of this node, and of its peers.',
  ...guarded('chain and node'),
  response: daemonApi.heightResponse,
  errors: [busy, internal],
  handle: ({ reader, peers }) => ({
    height: reader.tip().height + 1,
    network_height: Math.max(1, peers.networkHeight()),
    status: 'OK' as const,
  }),
});

export const getheight = route({ ...height, path: '/getheight' });

/** Old clients request the fee. A node of this suite has none (docs/protocol/rpc.md#node-fee). */
export const fee = route({
  method: 'GET',
  path: '/fee',
  summary: 'Fee of this node: none.',
  ...guarded('chain'),
  response: daemonApi.feeResponse,
  errors: [],
  handle: () => ({ address: '', amount: 0n, status: 'OK' as const }),
});

export const peers = route({
  method: 'GET',
  path: '/peers',
  summary: 'The white and the gray peer list.',
  ...guarded('node'),
  response: daemonApi.peersResponse,
  errors: [internal],
  handle: (context) => {
    const { white, gray } = context.peers.peerLists();
    return { peers: white, peers_gray: gray, status: 'OK' as const };
  },
});

/** The values of the health checks; undefined while the chain cannot be read. */
function healthState(context: RpcContext) {
  const height = readIfAvailable(() => context.reader.tip().height + 1);
  if (height === undefined) return undefined;
  const { incoming, outgoing } = context.peers.connections();
  return {
    synced: context.peers.isSynchronized(),
    height,
    network_height: Math.max(1, context.peers.networkHeight()),
    peers: incoming + outgoing,
  };
}

/** Path and fields of the network's other nodes. */
const health = route({
  method: 'GET',
  path: '/health',
  summary: 'Whether the node is synchronized, its height, the height of its peers, and the number of peers.',
  ...guarded('chain and node'),
  response: z.object({
    status: z.enum(['OK', 'SYNCING', 'BUSY']),
    synced: z.boolean(),
    height: z.number().optional(),
    network_height: z.number().optional(),
    peers: z.number().optional(),
  }),
  errors: [{ status: 503, text: 'SYNCING', when: 'The node is not synchronized, or its chain cannot be read (BUSY).' }],
  handle: (context) => {
    const now = healthState(context);
    if (now === undefined) return new Reply(503, { status: 'BUSY' as const, synced: false });
    return now.synced ? { status: 'OK' as const, ...now } : new Reply(503, { status: 'SYNCING' as const, ...now });
  },
});

/** `/health`, which has guards; `/livez` and `/readyz` for process monitors, which have none. */
export function nodeHealthRoutes(context: RpcContext): readonly DaemonRoute[] {
  const readiness = () => {
    const now = healthState(context);
    const paused = context.paused?.();
    const why = context.damaged?.() === undefined ? paused && 'no room on the disk' : 'the database is damaged';
    const isStale = context.peers.isTipStale?.() === true;
    const ready = now?.synced === true && why === undefined && !isStale;
    const reasons = { ...(why !== undefined && { paused: why }), ...(isStale && { stale_tip: true }) };
    return { ready, synced: false, ...now, ...reasons };
  };
  return [health, ...healthRoutes(readiness)];
}
