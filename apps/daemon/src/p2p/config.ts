import type { NamedEndpoint, PeerAddress } from './addresses';

/** Everything that an operator or the network's profile decides. Times are milliseconds. */
export interface P2pConfig {
  /** 16 bytes; another id in a handshake ends the connection. */
  readonly networkId: Buffer;
  readonly bindHost: string;
  /** 0 takes a free port. */
  readonly bindPort: number;
  /** A second listener, for IPv6 alone; undefined for none. That it cannot be had is a warning. */
  readonly bindHost6: string | undefined;
  /** 0 takes the port that the first listener has. */
  readonly bindPort6: number;
  /** Announced to peers instead of the listening port; 0 announces the listening port. */
  readonly externalPort: number;
  /** Announces port 0, so that no peer calls back. */
  readonly hidePort: boolean;
  /** A SOCKS5 proxy for all outgoing connections; undefined for none. */
  readonly proxy: PeerAddress | undefined;
  /** Max bytes of blocks in 24 hours for peers that synchronise; 0 = no limit. */
  readonly maxUpload: number;
  /** Takes private and loopback addresses into the peer lists. */
  readonly allowLocal: boolean;
  readonly outPeers: number;
  readonly inPeers: number;
  /** If there are any, no other peers are called. */
  readonly exclusiveNodes: readonly PeerAddress[];
  /** Always called, also above `outPeers`. */
  readonly priorityNodes: readonly PeerAddress[];
  /** Called before the peers of the lists. */
  readonly addedPeers: readonly PeerAddress[];
  /** Called for their peer lists when no peers are known: configured ones, then those of the network. */
  readonly seeds: readonly NamedEndpoint[];
  /** Names whose addresses are seeds at `dnsSeedPort`; looked up only when seeds are needed. */
  readonly dnsSeeds: readonly string[];
  readonly dnsSeedPort: number;
  /** The file for peers, bans and our peer id; undefined stores nothing. */
  readonly stateFile: string | undefined;
  /** Starts with a new peer id and empty lists; bans are retained. */
  readonly resetState: boolean;
  /** Files with addresses and ranges that are never connected to. */
  readonly banLists: readonly string[];
  readonly timedSyncInterval: number;
  /** Whether a node without peers counts as synchronized. */
  readonly synchronizedAlone: boolean;
  /** Whether this node does not synchronise from pruned peers any more, by the index of the next block. */
  readonly avoidsPrunedPeers: (height: number) => boolean;
  readonly syncMaxPeers: number;
  readonly syncPeerFailureThreshold: number;
  readonly syncBatchMin: number;
  readonly syncBatchMax: number;
  /** Maximum of blocks in one request. */
  readonly blockSyncSize: number;
  readonly blockSyncBytes: number;
}

/** The defaults (docs/protocol/p2p.md#defaults). */
export const p2pDefaults = {
  bindHost: '0.0.0.0',
  bindPort: 0,
  bindHost6: undefined,
  bindPort6: 0,
  externalPort: 0,
  hidePort: false,
  proxy: undefined,
  maxUpload: 0,
  allowLocal: false,
  outPeers: 15,
  inPeers: 15,
  exclusiveNodes: [],
  priorityNodes: [],
  addedPeers: [],
  seeds: [],
  dnsSeeds: [],
  dnsSeedPort: 17855,
  stateFile: undefined,
  resetState: false,
  banLists: [],
  timedSyncInterval: 60_000,
  synchronizedAlone: false,
  avoidsPrunedPeers: () => false,
  syncMaxPeers: 3,
  syncPeerFailureThreshold: 2,
  syncBatchMin: 120,
  syncBatchMax: 600,
  blockSyncSize: 600,
  blockSyncBytes: 16 * 1024 * 1024,
} as const satisfies Omit<P2pConfig, 'networkId'>;
