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

/** What we say of ourselves. */
export class OwnNodeData {
  /** The port that listens, once it does. */
  listeningPort = 0;
  /** The port of the IPv6 listener, where there is one. */
  listeningPort6: number | undefined;

  constructor(
    private readonly config: P2pConfig,
    /** Random, kept over restarts; never 0. */
    public peerId: bigint,
    private readonly chain: Pick<ChainPort, 'tip' | 'keeps'>,
    private readonly book: AddressBook,
    /** Where we are reached. */
    readonly addresses: OwnAddresses,
    private readonly clock: P2pClock,
  ) {}

  /** We have met ourselves at this address. */
  meet(address: PeerAddress): void {
    this.addresses.learn(address);
    this.book.dropOwn();
  }

  /** Now, in seconds since 1970. */
  get seconds(): number {
    return Math.floor(this.clock.wall() / 1000);
  }

  /** The port that is announced to IPv4 peers. */
  get toldPort(): number {
    return this.config.externalPort !== 0 ? this.config.externalPort : this.listeningPort;
  }

  /** @param host whom it is said to: a caller is called back at the address it came from, so its family has its port */
  nodeData(host: string): NodeData {
    const { config } = this;
    const port = host.includes(':') ? (this.listeningPort6 ?? this.toldPort) : this.toldPort;
    return {
      networkId: config.networkId,
      version: P2P_VERSION,
      peerId: this.peerId,
      localTime: BigInt(this.seconds),
      myPort: config.hidePort ? 0 : port,
    };
  }

  syncData(): SyncData {
    const { height, hash } = this.chain.tip();
    const { pruned, lite } = this.chain.keeps();
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
   * The peer lists for a peer of `version`; IPv6 entries only for those that read them. No entry is seen later than `now`,
   * the time (seconds since 1970) of the message: other nodes disconnect peers that report entries of the future.
   */
  peerLists(version: number, now: number): PeerLists {
    const entries = this.book.toSend().map((entry) => ({ ...entry, lastSeen: Math.min(entry.lastSeen, now) }));
    const isIpv6 = (host: string): boolean => host.includes(':');
    return {
      peers: entries.filter(({ host }) => !isIpv6(host)),
      peers6: version >= IPV6_LIST_VERSION ? entries.filter(({ host }) => isIpv6(host)) : [],
    };
  }
}

/** An id for a first start. */
export function newPeerId(random: P2pRandom): bigint {
  for (;;) {
    const id = random.bytes(8).readBigUInt64LE(0);
    if (id !== 0n) return id;
  }
}

/** Why we refuse a peer with this node data; `undefined` when we accept it. Every version from 16 on is accepted. */
export function judgeNodeData(data: NodeData, networkId: Buffer, ownPeerId: bigint): CloseReason | undefined {
  if (!data.networkId.equals(networkId)) return closeReasons.wrongNetwork;
  if (data.version < P2P_MINIMUM_VERSION) return closeReasons.oldVersion;
  if (data.peerId === ownPeerId) return closeReasons.ownConnection;
  return undefined;
}

/** Notes what a peer says of itself. A program much newer than ours is a hint to the operator to look for an update. */
export function takeNodeData(session: Session, data: NodeData, logger: P2pLogger): void {
  session.version = data.version;
  session.peerId = data.peerId;
  session.listeningPort = data.myPort;
  if (data.version - P2P_VERSION < P2P_UPGRADE_WINDOW) return;
  logger.warning(`${session.name} speaks version ${data.version}: a newer program may be out`);
}
