import type { PoolTransaction } from '../mempool/pool-transaction';
import type { TemplateAnswer } from '../mining/miner';
import type { ChainReader } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import type { PoolChanges } from '../mempool/changes';
import type { EventSource } from '../events/routes/event-source';
import type { RefusedSwitch } from '../chain/side-branches';
import type { QueryRunner } from './queries';
import type { StorageFacts } from './storage-facts';

/** What the RPC asks of the peer-to-peer side; heights are counts (index of the tip + 1). */
export interface NetworkStatus {
  /** The best height that peers tell, at least 1. */
  networkHeight(): number;
  /** The height that the peers were last seen at, 0 before the first one. */
  observedHeight(): number;
  isSynchronized(): boolean;
  /** Whether the main chain has not grown for 30 minutes. */
  isTipStale?(): boolean;
  connections(): { outgoing: number; incoming: number };
  peerLists(): { white: string[]; gray: string[] };
  /** Without making the lists: `/info` is asked often. */
  peerListSizes(): { white: number; gray: number };
  seedCount(): number;
  /** Unix seconds; 0 = never. */
  lastSeedBootstrap(): number;
  sync(): { activePeers: number; averageBatchSize: number; demotedPeers: number };
}

export interface PoolStatus {
  size(): number;
  has(hash: Buffer): boolean;
  /** In the order of priority. */
  list(): readonly PoolTransaction[];
  /** What the pool holds beyond the known ids (lower-case hex), and which of those it does not hold; see `changesSince`. */
  changesSince(known: ReadonlySet<string>): PoolChanges;
  /** Judges a transaction as the pool does, keeps it and relays it; `error` is the reference's text when refused. */
  submit(bytes: Buffer): Promise<{ error?: string }>;
}

export interface MiningPort {
  template(address: { spendPublic: Buffer; viewPublic: Buffer }, extraNonce: Buffer): Promise<TemplateAnswer>;
  /** True when the block was taken, or was known already. */
  submit(blob: Buffer): Promise<boolean>;
  /** Mines at once (simnet and devnet). */
  generate(request: {
    address: { spendPublic: Buffer; viewPublic: Buffer };
    count: number;
    timestamp: number;
    spacing: number;
  }): Promise<{ height: number; hashes: Buffer[] }>;
}

export interface RpcLimits {
  readonly maxBlockCount: number;
  readonly maxGlobalIndexRange: number;
}

export interface RpcContext {
  readonly network: Network;
  /** A connection of its own; every request reads one snapshot. */
  readonly reader: ChainReader;
  readonly queries: QueryRunner;
  readonly peers: NetworkStatus;
  readonly pool: PoolStatus;
  readonly mining: MiningPort;
  readonly events: EventSource;
  /** The difficulty of the next block. */
  readonly nextDifficulty: () => bigint;
  readonly limits: RpcLimits;
  readonly storage: StorageFacts;
  readonly explorer: boolean;
  /** Calls labelled MiningEnabled are refused in any mode. */
  readonly miningOff?: boolean;
  /** Why no blocks are taken now, though requests are answered; undefined while they are. */
  readonly paused?: (() => string | undefined) | undefined;
  /** Why the node has stopped following the chain: damage of the database. */
  readonly damaged?: (() => string | undefined) | undefined;
  /** The last branch that was not followed. */
  readonly refusedBranch?: (() => RefusedSwitch | undefined) | undefined;
  /** Unix seconds of the start. */
  readonly startTime: number;
  readonly now: () => number;
}
