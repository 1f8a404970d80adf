import { daemonApi } from '@wrkz/api';
import { nextDifficulty } from '@wrkz/consensus';
import { EventSource } from '../events/routes/event-source';
import type { NetworkStatus, QueryRunner, RpcContext } from '../rpc';
import { refuseRetryable } from '../rpc/errors';
import type { ChainSource } from './chain-source';
import type { ServeRpcConfig } from './config';
import type { NodeInfoCache } from './node-client';

export interface ReaderContextDependencies {
  readonly config: ServeRpcConfig;
  readonly source: ChainSource;
  readonly queries: QueryRunner;
  readonly nodeInfo: NodeInfoCache;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Requests that need it are forwarded to the node. */
const unavailable = (): never => {
  throw refuseRetryable(daemonApi.refusals.nodeAway);
};

/** The handler context of a reader process: the chain of the database and the values of the node's `/info`, nothing else. */
export function readerContext({ config, source, queries, nodeInfo, now }: ReaderContextDependencies): RpcContext {
  const { options, network } = config;
  const started = now();
  return {
    network,
    get reader() {
      return source.reader;
    },
    queries,
    peers: networkStatus(source, nodeInfo),
    pool: {
      get size() {
        return nodeInfo.current?.tx_pool_size ?? 0;
      },
      has: unavailable,
      list: unavailable,
      add: unavailable,
    },
    miner: { template: unavailable, submit: unavailable },
    generator: { generate: unavailable },
    events: new EventSource(
      { latest: unavailable, page: unavailable, onEntry: () => () => undefined },
      { maxClients: 0, stopping: AbortSignal.abort() },
    ),
    nextDifficulty: () => {
      const { reader } = source;
      return reader.snapshot(() => nextDifficulty(network, reader.height(), reader.viewAt(reader.height())));
    },
    limits: {
      maxBlockCount: options['rpc-max-block-count'],
      maxGlobalIndexRange: options['rpc-max-global-index-range'],
    },
    // The options of the node are in its /info; the database has what is stored.
    get storage() {
      const info = nodeInfo.current;
      return { prune: info?.pruned === true, pruneDepth: Number(info?.prune_depth ?? network.pruneDepth) };
    },
    explorer: options['daemon-mode'] === 'explorer',
    miningOff: options['rpc-no-mining'],
    heavierBranch: () => nodeInfo.current?.heavier_branch,
    get startTime() {
      return nodeInfo.current?.start_time ?? started;
    },
    now,
  };
}

/** The peer-to-peer state from the node's `/info`. While the node is away it is the state of a node without peers. */
function networkStatus(source: ChainSource, nodeInfo: NodeInfoCache): NetworkStatus {
  return {
    networkHeight: () => {
      const info = nodeInfo.current;
      if (info === undefined) return 0;
      // The chain may have grown since the response of a synchronized node, which is still synchronized.
      const height = source.reader.height() + 1;
      return info.synced && info.height !== height ? height : info.network_height;
    },
    observedHeight: () => (nodeInfo.current?.last_known_block_index ?? -1) + 1,
    isSynchronized: () => nodeInfo.current?.synced ?? false,
    connections: () => ({
      outgoing: nodeInfo.current?.outgoing_connections_count ?? 0,
      incoming: nodeInfo.current?.incoming_connections_count ?? 0,
    }),
    peerLists: unavailable,
    peerListSizes: () => ({
      white: nodeInfo.current?.white_peerlist_size ?? 0,
      gray: nodeInfo.current?.grey_peerlist_size ?? 0,
    }),
    seedCount: () => nodeInfo.current?.seed_nodes_count ?? 0,
    lastSeedBootstrap: () => nodeInfo.current?.last_seed_bootstrap ?? 0,
    sync: () => ({
      activePeers: nodeInfo.current?.sync_active_peers ?? 0,
      averageBatchSize: nodeInfo.current?.sync_avg_batch_size ?? 0,
      demotedPeers: nodeInfo.current?.sync_demoted_peers ?? 0,
    }),
  };
}
