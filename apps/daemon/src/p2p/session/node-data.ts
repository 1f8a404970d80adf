import type { NodeData, PeerLists, SyncData } from '@wrkz/levin';
import type { PeerAddress } from '../addresses';
import type { P2pConfig } from '../config';
import {
  CAPABILITY_LITE,
  CAPABILITY_PRUNED,
  IPV6_LIST_VERSION,
  P2P_MINIMUM_VERSION,
  P2P_UPGRADE_WINDOW,
  P2P_VERSION,
} from '../constants';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { AddressBook } from '../peers/address-book';
import type { OwnAddresses } from '../peers/own-addresses';
import type { ChainPort, P2pClock, P2pLogger, P2pRandom } from '../ports';
import type { Session } from './session';

export interface OwnNodeDataDependencies {
  readonly config: P2pConfig;
  readonly chain: Pick<ChainPort, 'tip' | 'availability'>;
  readonly book: AddressBook;
  readonly addresses: OwnAddresses;
  readonly clock: P2pClock;
  readonly random: P2pRandom;
}

/** Node data of this node, as sent to peers. */
export class OwnNodeData {
  /** The bound port; 0 before the listener is started. */
  listeningPort = 0;
  /** The bound port of the IPv6 listener, if there is one. */
  listeningPort6: number | undefined;

  /** Random, never 0, the same across restarts. */
  peerId: bigint;
  /** The addresses at which other nodes reach this node. */
  readonly addresses: OwnAddresses;

  constructor(private readonly dependencies: OwnNodeDataDependencies) {
    this.peerId = newPeerId(dependencies.random);
    this.addresses = dependencies.addresses;
  }

  /** Call it when this node has connected to itself at an address. */
  meet(address: PeerAddress): void {
    this.addresses.learn(address);
    this.dependencies.book.dropOwn();
  }

  /** The current time in seconds since 1970. */
  get seconds(): number {
    return Math.floor(this.dependencies.clock.wall() / 1000);
  }

  /** The port that is announced to IPv4 peers. */
  get announcedPort(): number {
    return this.dependencies.config.externalPort !== 0 ? this.dependencies.config.externalPort : this.listeningPort;
  }

  /** @param host address of the peer: it pings back over the same address family, which has a separate port */
  nodeData(host: string): NodeData {
    const { config } = this.dependencies;
    const port = host.includes(':') ? (this.listeningPort6 ?? this.announcedPort) : this.announcedPort;
    return {
      networkId: config.networkId,
      version: P2P_VERSION,
      peerId: this.peerId,
      localTime: BigInt(this.seconds),
      myPort: config.hidePort ? 0 : port,
    };
  }

  syncData(): SyncData {
    const { height, hash } = this.dependencies.chain.tip();
    const { pruned, lite } = this.dependencies.chain.availability();
    const capabilityFlags = (pruned === undefined ? 0 : CAPABILITY_PRUNED) | (lite === undefined ? 0 : CAPABILITY_LITE);
    return {
      currentHeight: height + 1,
      tipHash: hash,
      capabilityFlags,
      prunedNodeHeight: pruned ?? 0,
      liteStartHeight: lite ?? 0,
    };
  }

  /**
   * The peer lists for a peer of `version`; IPv6 entries only if that version supports them. Last-seen times are limited to
   * `now`, the time (seconds since 1970) of the message: nodes disconnect peers that report entries from the future.
   */
  peerLists(version: number, now: number): PeerLists {
    const entries = this.dependencies.book
      .toSend()
      .map((entry) => ({ ...entry, lastSeen: Math.min(entry.lastSeen, now) }));
    const isIpv6 = (host: string): boolean => host.includes(':');
    return {
      peers: entries.filter(({ host }) => !isIpv6(host)),
      peers6: version >= IPV6_LIST_VERSION ? entries.filter(({ host }) => isIpv6(host)) : [],
    };
  }
}

/** A random peer id. */
function newPeerId(random: P2pRandom): bigint {
  for (;;) {
    const id = random.bytes(8).readBigUInt64LE(0);
    if (id !== 0n) return id;
  }
}

/** The reason to reject a peer with this node data; undefined if it is accepted. Versions from 16 on are accepted. */
export function checkNodeData(data: NodeData, networkId: Buffer, ownPeerId: bigint): CloseReason | undefined {
  if (!data.networkId.equals(networkId)) return closeReasons.wrongNetwork;
  if (data.version < P2P_MINIMUM_VERSION) return closeReasons.oldVersion;
  if (data.peerId === ownPeerId) return closeReasons.ownConnection;
  return undefined;
}

/**
 * Stores the node data of a peer. Logs a much newer version: this node may be outdated. Only of outgoing peers: callers could fill
 * the log with any version.
 */
export function takeNodeData(session: Session, data: NodeData, logger: P2pLogger): void {
  session.version = data.version;
  session.peerId = data.peerId;
  session.listeningPort = data.myPort;
  if (session.incoming || data.version - P2P_VERSION < P2P_UPGRADE_WINDOW) return;
  logger.warning(`${session.name} has version ${data.version}: a newer release may be available`);
}
