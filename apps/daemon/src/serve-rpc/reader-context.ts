import { nextDifficulty } from '@wrkz/consensus';
import { daemonApi } from '@wrkz/api';
import { refuseNode } from '../rpc/errors';
import type { NetworkStatus, QueryRunner, RpcContext } from '../rpc';
import type { ChainSource } from './chain-source';
import type { ServeRpcConfig } from './config';
import type { NodeFacts } from './node-facts';

export interface ReaderParts {
  readonly config: ServeRpcConfig;
  readonly source: ChainSource;
  readonly queries: QueryRunner;
  readonly facts: NodeFacts;
  /** Unix seconds. */
  readonly now: () => number;
}

/** What is asked of the node never comes here: it is passed on. */
const elsewhere = (): never => {
  throw refuseNode(daemonApi.refusals.nodeAway);
};

/** What the routes may ask of a reader: the chain from the database, facts from the node, and nothing else. */
export function readerContext({ config, source, queries, facts, now }: ReaderParts): RpcContext {
  const { options, network } = config;
  const started = now();
  return {
    network,
    get reader() {
      return source.reader;
    },
    queries,
    peers: nodeStatus(source, facts),
    pool: {
      size: () => facts.current?.tx_pool_size ?? 0,
      has: elsewhere,
      list: elsewhere,
      changesSince: elsewhere,
      submit: elsewhere,
    },
    mining: { template: elsewhere, submit: elsewhere, generate: elsewhere },
    events: {
      latest: elsewhere,
      page: elsewhere,
      onEntry: elsewhere,
      enter: elsewhere,
      stopping: AbortSignal.abort(),
      heartbeat: 0,
    },
    nextDifficulty: () => {
      const { reader } = source;
      return reader.snapshot(() => nextDifficulty(network, reader.height(), reader.viewAt(reader.height())));
    },
    limits: {
      maxBlockCount: options['rpc-max-block-count'],
      maxGlobalIndexRange: options['rpc-max-global-index-range'],
    },
    // How the node was started is the node's to tell; what is stored tells itself.
    get storage() {
      const told = facts.current;
      return { prune: told?.pruned === true, pruneDepth: Number(told?.prune_depth ?? network.pruneDepth) };
    },
    explorer: options['daemon-mode'] === 'explorer',
    miningOff: options['rpc-no-mining'],
    get startTime() {
      return facts.current?.start_time ?? started;
    },
    now,
  };
}

/** The peers' side as the node tells it; while it is away, as of a node that has met nobody. */
function nodeStatus(source: ChainSource, facts: NodeFacts): NetworkStatus {
  return {
    networkHeight: () => {
      const told = facts.current;
      if (told === undefined) return 0;
      // The chain may have grown by a block since the node was asked, which makes it no less synchronized.
      const height = source.reader.height() + 1;
      return told.synced && told.height !== height ? height : told.network_height;
    },
    observedHeight: () => (facts.current?.last_known_block_index ?? -1) + 1,
    isSynchronized: () => facts.current?.synced ?? false,
    connections: () => ({
      outgoing: facts.current?.outgoing_connections_count ?? 0,
      incoming: facts.current?.incoming_connections_count ?? 0,
    }),
    peerLists: elsewhere,
    peerListSizes: () => ({
      white: facts.current?.white_peerlist_size ?? 0,
      gray: facts.current?.grey_peerlist_size ?? 0,
    }),
    seedCount: () => facts.current?.seed_nodes_count ?? 0,
    lastSeedBootstrap: () => facts.current?.last_seed_bootstrap ?? 0,
    sync: () => ({
      activePeers: facts.current?.sync_active_peers ?? 0,
      averageBatchSize: facts.current?.sync_avg_batch_size ?? 0,
      demotedPeers: facts.current?.sync_demoted_peers ?? 0,
    }),
  };
}
