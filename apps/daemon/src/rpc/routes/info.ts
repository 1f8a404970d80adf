import { daemonApi } from '@wrkz/api';
import type { ChainReader, FloorHeights } from '@wrkz/chain-db';
import type { BlockFacts } from '@wrkz/consensus';
import { DIFFICULTY_TARGET } from '@wrkz/core-types';
import { VERSION } from '@wrkz/service-kit';
import type { z } from 'zod';
import { GUARDED, route } from '../declare';
import { refuse } from '../errors';
import type { RpcContext } from '../ports';
import { readNow } from '../readable';
import { isPruned } from '../storage-facts';

/** What a client may negotiate, in the order in which the field lists it. */
const SYNC_FEATURES = ['skipEmptyBlocks', 'base64', 'heightRange'];

/** `<major>.<minor>.<revision>`: the field carries no build number. */
const SHORT_VERSION = VERSION.split('.').slice(0, 3).join('.');

/** What `/info` tells. @throws what SQLite says while the chain cannot be read */
export function nodeInfo(context: RpcContext): z.output<typeof daemonApi.infoAnswer> {
  const { network, peers, reader } = context;
  const { tip, transactionCount, alternativeCount, floors } = readChain(reader);
  const height = tip.height + 1;
  const connections = peers.connections();
  const lists = peers.peerListSizes();
  const sync = peers.sync();
  const networkHeight = Math.max(1, peers.networkHeight());
  const difficulty = context.nextDifficulty();
  const branch = context.refusedBranch?.();
  // Below the height of a lite node the versions are not told, as the other programs have them not.
  const isKept = tip.height === 0 || tip.height >= floors.records;
  return {
    alt_blocks_count: alternativeCount,
    compression: 'gzip',
    difficulty,
    grey_peerlist_size: lists.gray,
    hashrate: difficulty / BigInt(DIFFICULTY_TARGET),
    ...(branch === undefined || branch.cumulativeDifficulty <= tip.cumulativeDifficulty
      ? {}
      : { heavier_branch: { height: branch.height, hash: branch.hash.toString('hex') } }),
    height,
    incoming_connections_count: connections.incoming,
    last_known_block_index: Math.max(1, peers.observedHeight()) - 1,
    last_seed_bootstrap: peers.lastSeedBootstrap(),
    lite: floors.lite !== undefined,
    lite_start_height: floors.lite ?? 0,
    major_version: isKept ? tip.majorVersion : 0,
    minor_version: isKept ? tip.minorVersion : 0,
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
    tx_pool_size: context.pool.size(),
    upgrade_heights: [...network.upgradeHeights],
    version: SHORT_VERSION,
    white_peerlist_size: lists.white,
  };
}

/** All of one state of the chain. */
function readChain(reader: ChainReader): {
  tip: BlockFacts;
  transactionCount: number;
  alternativeCount: number;
  floors: FloorHeights;
} {
  return reader.snapshot(() => ({
    tip: reader.tip(),
    transactionCount: reader.transactionCount(),
    alternativeCount: reader.alternativeCount(),
    floors: reader.floors(),
  }));
}

export const info = route({
  method: 'GET',
  path: '/info',
  summary: 'The state of the node: its chain, its peers, what it can do.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain and node' },
  answer: daemonApi.infoAnswer,
  errors: [daemonApi.refusals.busy, daemonApi.refusals.internal],
  handle: (context) =>
    readNow(
      () => nodeInfo(context),
      () => refuse(daemonApi.refusals.busy),
    ),
});

export const getinfo = route({ ...info, path: '/getinfo' });
