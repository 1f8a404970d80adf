import type { ChainReader } from '@wrkz/chain-db';
import { isAccepted } from '../chain/results';
import type { ChainService } from '../chain/service';
import type { RefusedSwitch } from '../chain/side-branches';
import type { DaemonConfig } from '../config/config';
import type { EventSource } from '../events/routes/event-source';
import type { TransactionPool } from '../mempool/pool';
import type { BlockGenerator } from '../mining/generate';
import type { Miner } from '../mining/miner';
import type { MiningPort, NetworkStatus, PoolStatus, QueryRunner, RpcContext } from '../rpc';

export interface RpcParts {
  readonly config: DaemonConfig;
  readonly reader: ChainReader;
  readonly queries: QueryRunner;
  readonly chain: ChainService & { readonly noRoom?: string | undefined };
  readonly pool: TransactionPool;
  readonly miner: Miner;
  readonly generator: BlockGenerator;
  readonly peers: NetworkStatus;
  /** Why the node has stopped following the chain. */
  readonly damaged: () => string | undefined;
  /** The last branch that was not followed. */
  readonly refusedBranch?: () => RefusedSwitch | undefined;
  readonly events: EventSource;
  /** Unix seconds. */
  readonly now: () => number;
}

/** What the routes may ask of the node. */
export function rpcContext(parts: RpcParts): RpcContext {
  const { config, reader, queries, chain, peers, events, now } = parts;
  return {
    network: config.network,
    reader,
    queries,
    peers,
    pool: poolStatus(parts.pool),
    events,
    mining: miningPort(parts.miner, parts.generator),
    nextDifficulty: () => chain.tip().nextDifficulty,
    limits: {
      maxBlockCount: config.options['rpc-max-block-count'],
      maxGlobalIndexRange: config.options['rpc-max-global-index-range'],
    },
    storage: { prune: config.storage.kind === 'pruned', pruneDepth: config.pruneDepth },
    explorer: config.options['daemon-mode'] === 'explorer',
    miningOff: config.options['rpc-no-mining'],
    paused: () => chain.noRoom,
    damaged: parts.damaged,
    refusedBranch: parts.refusedBranch,
    startTime: now(),
    now,
  };
}

function poolStatus(pool: TransactionPool): PoolStatus {
  return {
    size: () => pool.size,
    has: (hash) => pool.has(hash),
    list: () => pool.list(),
    submit: async (bytes) => {
      const { accepted, message } = await pool.add(bytes, 'rpc');
      return accepted ? {} : { error: message ?? 'Transaction is not accepted' };
    },
  };
}

function miningPort(miner: Miner, generator: BlockGenerator): MiningPort {
  return {
    template: (address, extraNonce) => miner.template(address, extraNonce),
    submit: async (blob) => isAccepted(await miner.submit(blob)),
    generate: (request) => generator.generate(request),
  };
}
