import type { PeerEntry } from '@wrkz/levin';
import { addressGroup, addressKey, hostNetwork, isLocalHost, isUnusableHost, type PeerAddress } from '../addresses';
import {
  ENTRIES_PER_GROUP,
  ENTRIES_PER_HOST,
  GRAY_LIST_LIMIT,
  PEERS_PER_MESSAGE,
  WHITE_LIST_LIMIT,
} from '../constants';
import type { OwnAddresses } from './own-addresses';

export interface PeerListOptions {
  readonly limit: number;
  /** The most entries of one address (IPv6: of a /64); unlimited when absent. */
  readonly perHost?: number;
  /** The most entries of one neighbourhood (/16, IPv6: /32); unlimited when absent. */
  readonly perGroup?: number;
  /**
   * Where a share is full: `first` keeps what is there, so that hearsay displaces nobody; `latest` lets the one seen
   * longest ago of the same address or neighbourhood go, for entries that were checked.
   */
  readonly keeps?: 'first' | 'latest';
}

/** How many of something there are, by name. */
class Counts {
  private readonly counts = new Map<string, number>();

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: string, step: 1 | -1): void {
    const count = this.of(name) + step;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}

/**
 * A bounded set of peers by endpoint; when it is full, the one seen longest ago goes. Loopback and private addresses,
 * which many nodes may share, count for no share.
 */
export class PeerList {
  private readonly entries = new Map<string, PeerEntry>();
  private readonly hosts = new Counts();
  private readonly groups = new Counts();

  constructor(private readonly options: PeerListOptions) {}

  get size(): number {
    return this.entries.size;
  }

  has(address: PeerAddress): boolean {
    return this.entries.has(addressKey(address));
  }

  /** Enters a peer or renews it. False when the share of its address or neighbourhood is full. */
  put(entry: PeerEntry): boolean {
    if (!this.has(entry)) {
      if (!this.makeSpace(entry)) return false;
      this.count(entry, 1);
    }
    this.entries.set(addressKey(entry), entry);
    if (this.entries.size > this.options.limit) this.dropOldest(() => true);
    return true;
  }

  remove(address: PeerAddress): void {
    if (this.entries.delete(addressKey(address))) this.count(address, -1);
  }

  /** All entries, the last seen first. */
  newestFirst(): PeerEntry[] {
    return [...this.entries.values()].sort((a, b) => b.lastSeen - a.lastSeen);
  }

  private makeSpace({ host }: PeerAddress): boolean {
    if (isLocalHost(host)) return true;
    const { perHost = Infinity, perGroup = Infinity, keeps = 'first' } = this.options;
    const network = hostNetwork(host);
    const group = addressGroup(host);
    const hostFull = this.hosts.of(network) >= perHost;
    if (!hostFull && this.groups.of(group) < perGroup) return true;
    if (keeps === 'first') return false;
    this.dropOldest((other) => (hostFull ? hostNetwork(other.host) === network : addressGroup(other.host) === group));
    return true;
  }

  private count({ host }: PeerAddress, step: 1 | -1): void {
    if (isLocalHost(host)) return;
    this.hosts.add(hostNetwork(host), step);
    this.groups.add(addressGroup(host), step);
  }

  private dropOldest(isCandidate: (entry: PeerEntry) => boolean): void {
    let oldest: PeerEntry | undefined;
    for (const entry of this.entries.values()) {
      if (isCandidate(entry) && (oldest === undefined || entry.lastSeen < oldest.lastSeen)) oldest = entry;
    }
    if (oldest !== undefined) this.remove(oldest);
  }
}

const shares = { perHost: ENTRIES_PER_HOST, perGroup: ENTRIES_PER_GROUP };

export interface PeerBookOptions {
  readonly allowLocal: boolean;
  /** Who we are: our own address never stands in a list, whoever tells of it. */
  readonly own?: { readonly addresses: OwnAddresses; readonly peerId: () => bigint };
}

/**
 * White peers (we reached them ourselves) and gray ones (others told us). A peer is in one list only; the white list is
 * what we send to others.
 */
export class PeerBook {
  private readonly white = new PeerList({ limit: WHITE_LIST_LIMIT, ...shares, keeps: 'latest' });
  private readonly gray = new PeerList({ limit: GRAY_LIST_LIMIT, ...shares, keeps: 'first' });

  constructor(private readonly options: PeerBookOptions) {}

  /** Whether an address may stand in a list at all. */
  allows(address: PeerAddress): boolean {
    if (!Number.isInteger(address.port) || address.port < 1 || address.port > 65535) return false;
    if (isUnusableHost(address.host) || this.isOwn(address)) return false;
    return this.options.allowLocal || !isLocalHost(address.host);
  }

  /** Whether this node itself is reached there. */
  isOwn(address: PeerAddress): boolean {
    return this.options.own?.addresses.has(address) ?? false;
  }

  /** More is known of where this node is reached: what the lists hold of it goes. */
  dropOwn(): void {
    for (const list of [this.white, this.gray]) {
      for (const entry of list.newestFirst()) if (!this.takes(entry)) list.remove(entry);
    }
  }

  /** Our own id tells us by whatever name peers have heard of us. It is hearsay, so of the address nothing is learnt. */
  private takes(entry: PeerEntry): boolean {
    return this.allows(entry) && entry.id !== this.options.own?.peerId();
  }

  /** A peer that answered us: after an outgoing handshake or a back ping. */
  addWhite(entry: PeerEntry): void {
    if (!this.takes(entry)) return;
    this.white.put(entry);
    this.gray.remove(entry);
  }

  /** A peer that somebody told us of. */
  addGray(entry: PeerEntry): void {
    if (!this.takes(entry) || this.white.has(entry)) return;
    this.gray.put(entry);
  }

  /** A gray peer that did not answer. */
  dropGray(address: PeerAddress): void {
    this.gray.remove(address);
  }

  whiteEntries(): PeerEntry[] {
    return this.white.newestFirst();
  }

  grayEntries(): PeerEntry[] {
    return this.gray.newestFirst();
  }

  get isEmpty(): boolean {
    return this.white.size === 0 && this.gray.size === 0;
  }

  get sizes(): { readonly white: number; readonly gray: number } {
    return { white: this.white.size, gray: this.gray.size };
  }

  /** The white peers to send: at most 250, the last seen first, none that was never seen. */
  toSend(): PeerEntry[] {
    return this.white
      .newestFirst()
      .filter((entry) => entry.lastSeen > 0)
      .slice(0, PEERS_PER_MESSAGE);
  }

  /**
   * Takes a peer list as received. `senderTime` and `now` in seconds. A list with an entry seen in the sender's own
   * future is refused whole (false). Times are moved to our clock and never lie in our future.
   */
  merge(entries: readonly PeerEntry[], senderTime: bigint, now: number): boolean {
    const taken = entries.slice(0, PEERS_PER_MESSAGE);
    if (taken.some((entry) => BigInt(entry.lastSeen) > senderTime)) return false;
    for (const entry of taken) {
      const age = Number(senderTime - BigInt(entry.lastSeen));
      this.addGray({ ...entry, lastSeen: Math.max(0, now - age) });
    }
    return true;
  }
}
