import type { PeerEntry } from '@wrkz/levin';
import { addressGroup, addressKey, isLocalHost, type PeerAddress } from '../util/address';
import { hostNetwork } from '../util/host-network';

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
