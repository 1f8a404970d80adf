import type { NamedEndpoint, PeerAddress } from './addresses';

/** Settings from the options and the network profile. Times are milliseconds. */
export interface P2pConfig {
  /** 16 bytes. A handshake with another id closes the connection. */
  readonly networkId: Buffer;
  readonly bindHost: string;
  /** 0 for a free port. */
  readonly bindPort: number;
  /** Address of a second, IPv6-only listener; undefined for none. If it cannot be bound, a warning is logged. */
  readonly bindHost6: string | undefined;
  /** 0 for the port of the first listener. */
  readonly bindPort6: number;
  /** Announced to peers instead of the listening port; 0 announces the listening port. */
  readonly externalPort: number;
  /** Announces port 0, so that peers do not connect to this node. */
  readonly hidePort: boolean;
  /** A SOCKS5 proxy for all outgoing connections; undefined for none. */
  readonly proxy: PeerAddress | undefined;
  /** Max bytes of old blocks sent to peers in 24 hours; 0 for no limit. */
  readonly maxUpload: number;
  /** Accepts private and loopback addresses in the peer lists. */
  readonly allowLocal: boolean;
  readonly outPeers: number;
  readonly inPeers: number;
  /** If not empty, no other peers are dialed. */
  readonly exclusiveNodes: readonly PeerAddress[];
  /** Always dialed, also above `outPeers`. */
  readonly priorityNodes: readonly PeerAddress[];
  /** Dialed before the peers of the lists. */
  readonly addedPeers: readonly PeerAddress[];
  /** Dialed for their peer lists when no peers are known: configured seeds, then those of the network. */
  readonly seeds: readonly NamedEndpoint[];
  /** Host names whose addresses are seeds at `dnsSeedPort`; resolved only when seeds are needed. */
  readonly dnsSeeds: readonly string[];
  readonly dnsSeedPort: number;
  /** The file for peers, bans and our peer id; undefined to store nothing. */
  readonly stateFile: string | undefined;
  /** Starts with a new peer id and empty lists; bans are retained. */
  readonly resetState: boolean;
  /** Files with addresses and ranges to block. */
  readonly banLists: readonly string[];
  readonly timedSyncInterval: number;
  /** Whether a node without peers counts as synchronized. */
  readonly synchronizedAlone: boolean;
  /** Whether this node no longer synchronises from pruned peers. @param height index of the next block */
  readonly avoidsPrunedPeers: (height: number) => boolean;
  readonly syncMaxPeers: number;
  readonly syncPeerFailureThreshold: number;
  /** Blocks of one request, before the limits below. */
  readonly syncBatchMin: number;
  readonly syncBatchMax: number;
  /** Maximum number of blocks per request. */
  readonly blockSyncSize: number;
  /** Maximum estimated size of one response. */
  readonly blockSyncBytes: number;
}
