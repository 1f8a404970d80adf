import type { ChainReader, FloorHeights } from '@wrkz/chain-db';
import type { CoinbaseReceiver } from '@wrkz/consensus';
import type { Network } from '@wrkz/core-types';
import type { RefusedSwitch } from '../chain/side-branches';
import type { EventSource } from '../events/routes/event-source';
import type { PoolTransaction } from '../mempool/pool-transaction';
import type { Generated, GenerateRequest } from '../mining/generate';
import type { TemplateResult } from '../mining/miner';
import type { QueryRunner } from './queries';

/** State of the peer-to-peer side. Heights are counts (index of the tip + 1). */
export interface NetworkStatus {
  /** The highest height that peers report, at least 1. */
  networkHeight(): number;
  /** The height at the last report of a peer; 0 before the first report. */
  observedHeight(): number;
  isSynchronized(): boolean;
  /** Whether the main chain has not grown for 30 minutes. */
  isTipStale?(): boolean;
  connections(): { outgoing: number; incoming: number };
  peerLists(): { white: string[]; gray: string[] };
  /** Does not make the lists, because `/info` is requested often. */
  peerListSizes(): { white: number; gray: number };
  seedCount(): number;
  /** Unix seconds; 0 = never. */
  lastSeedBootstrap(): number;
  sync(): { activePeers: number; averageBatchSize: number; demotedPeers: number };
}

export interface PoolStatus {
  size(): number;
  has(hash: Buffer): boolean;
  /** In the order of priority. The array does not change with the pool. */
  list(): readonly PoolTransaction[];
  /** Validates, stores and relays a transaction; `error` is the reference's text for a refused one. */
  submit(bytes: Buffer): Promise<{ error?: string }>;
}

export interface MiningService {
  template(address: CoinbaseReceiver, extraNonce: Buffer): Promise<TemplateResult>;
  /** True for an accepted or known block. */
  submit(blob: Buffer): Promise<boolean>;
  /** Mines blocks at once (simnet and devnet). */
  generate(request: GenerateRequest): Promise<Generated>;
}

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
  readonly pool: PoolStatus;
  readonly mining: MiningService;
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
