import type { ChainReader, FloorHeights } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import type { RefusedSwitch } from '../chain/side-branches';
import type { EventSource } from '../events/routes/event-source';
import type { TransactionPool } from '../mempool/pool';
import type { BlockGenerator } from '../mining/generate';
import type { Miner } from '../mining/miner';
import type { P2pNode } from '../p2p/node';
import type { QueryRunner } from './queries';

/** State of the peer-to-peer side. Heights are counts (index of the tip + 1). */
export type NetworkStatus = Pick<
  P2pNode,
  | 'networkHeight'
  | 'observedHeight'
  | 'isSynchronized'
  | 'connections'
  | 'peerLists'
  | 'peerListSizes'
  | 'seedCount'
  | 'lastSeedBootstrap'
  | 'sync'
> &
  Partial<Pick<P2pNode, 'isTipStale'>>;

export interface RpcLimits {
  readonly maxBlockCount: number;
  readonly maxGlobalIndexRange: number;
}

/** The context of the handlers. The node (wiring/rpc) and a reader process (serve-rpc) each have one. */
export interface RpcContext {
  readonly network: Network;
  /** A database connection of the RPC. Each request reads one snapshot. */
  readonly reader: ChainReader;
  readonly queries: QueryRunner;
  readonly peers: NetworkStatus;
  readonly pool: Pick<TransactionPool, 'size' | 'has' | 'list' | 'add'>;
  readonly miner: Pick<Miner, 'template' | 'submit'>;
  /** Mines blocks at once (simnet and devnet). */
  readonly generator: Pick<BlockGenerator, 'generate'>;
  readonly events: EventSource;
  /** The difficulty of the next block. */
  readonly nextDifficulty: () => bigint;
  readonly limits: RpcLimits;
  readonly storage: StorageFacts;
  readonly explorer: boolean;
  /** Routes and methods with the mode MiningEnabled are refused. */
  readonly miningOff?: boolean;
  /** Why no blocks are accepted, although requests are served; undefined while blocks are accepted. */
  readonly paused?: (() => string | undefined) | undefined;
  /** Why the node no longer follows the chain: damage of the database. */
  readonly damaged?: (() => string | undefined) | undefined;
  /** The last branch that was not followed; in the node only. */
  readonly refusedBranch?: (() => RefusedSwitch | undefined) | undefined;
  /** That branch, if it has more than this work. */
  readonly heavierBranch: (work: bigint) => { readonly height: number; readonly hash: string } | undefined;
  /** Unix seconds of the start. */
  readonly startTime: number;
  /** Unix seconds. */
  readonly now: () => number;
}

/** The storage options. */
export interface StorageFacts {
  readonly prune: boolean;
  /** Blocks that a pruned node of this configuration stores, also if this node is not pruned. */
  readonly pruneDepth: number;
}

/** Whether this run deletes old block bodies or an earlier one has deleted some. Only a resync restores them. */
export function isPruned({ bodies, lite }: FloorHeights, { prune }: StorageFacts): boolean {
  return lite === undefined && (prune || bodies > 0);
}
