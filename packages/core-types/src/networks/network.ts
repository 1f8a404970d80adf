import type { Rules } from './rules';

/** A block that is part of every chain of a network above its height. */
export interface KnownBlock {
  readonly height: number;
  /** 64 hex characters. */
  readonly hash: string;
}

export type NetworkName = 'mainnet' | 'simnet' | 'devnet';

export interface SeedAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The profile of a network (docs/protocol/networks.md#profiles). Its buffers are shared: never
 * write to them.
 */
export interface Network {
  readonly name: NetworkName;
  /** 16 bytes, sent in every handshake. */
  readonly networkId: Buffer;
  readonly ports: { readonly p2p: number; readonly rpc: number; readonly zmq: number };
  readonly genesis: { readonly block: Buffer; readonly hash: Buffer };
  /** A few checkpoints, ascending: all networks share the genesis block, so these distinguish a node of another network. */
  readonly knownBlocks: readonly KnownBlock[];
  readonly seeds: readonly SeedAddress[];
  /** Host names whose A and AAAA records are seeds, at the P2P port. */
  readonly dnsSeeds: readonly string[];
  /** Whether the built-in checkpoints (and any loaded ones) are this network's. */
  readonly hasCheckpoints: boolean;
  /** Whether a node may ask the router to forward its P2P port. */
  readonly usesUpnp: boolean;
  /** false: the hash of a block is never computed, only its merge-mining commitment is checked. */
  readonly checkProofOfWork: boolean;
  /** Constant difficulty of every block after genesis; undefined if it depends on the timestamps. */
  readonly fixedDifficulty: bigint | undefined;
  /** Whether a node without peers counts as synchronized. */
  readonly countsAsSynchronizedAlone: boolean;
  /** Whether blocks may be generated on demand, for tests. */
  readonly allowsGeneratedBlocks: boolean;
  /** Max blocks below the tip that an operator may rewind; far deeper than any reorganisation. */
  readonly rewindLimit: number;
  /** Blocks whose bodies a pruned node stores: the minimum, and the default. */
  readonly pruneDepth: number;
  /** Min blocks above the lite height of a lite node, so that no reorganisation reaches blocks that it does not store. */
  readonly liteWindow: number;
  /** Folder inside the data directory; undefined: the data directory itself. */
  readonly dataFolder: string | undefined;
  /** Advisory list of /info. */
  readonly upgradeHeights: readonly number[];
  readonly supportedHeight: number;
  /** The rules in force at an index; each field of `Rules` documents its index. */
  readonly rulesAt: (height: number) => Rules;
}
