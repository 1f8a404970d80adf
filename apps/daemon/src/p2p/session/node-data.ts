import type { NodeData, PeerLists, SyncData } from '@wrkz/levin';
import type { P2pConfig } from '../config';
import { CAPABILITY_LITE, CAPABILITY_PRUNED, IPV6_LIST_VERSION, P2P_VERSION } from '../constants';
import type { OwnAddresses } from '../peers/own-addresses';
import type { PeerBook } from '../peers/peer-book';
import type { ChainPort, P2pClock, P2pRandom } from '../ports';
import type { PeerAddress } from '../util/address';

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
    private readonly book: PeerBook,
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

  /** The port that IPv4 peers are told. */
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
   * the time (seconds since 1970) that the message tells: after our clock went back others would hang up on us for it.
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
