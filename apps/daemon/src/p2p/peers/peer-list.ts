import type { PeerEntry } from '@wrkz/levin';
import { addressGroup, addressKey, type PeerAddress } from '../util/address';

export interface PeerListOptions {
  readonly limit: number;
  /** The most entries of one neighbourhood; unlimited when absent. */
  readonly perGroup?: number;
}

/** A bounded set of peers by endpoint; when it is full, the one seen longest ago goes. */
export class PeerList {
  private readonly entries = new Map<string, PeerEntry>();
  private readonly groups = new Map<string, number>();

  constructor(private readonly options: PeerListOptions) {}

  get size(): number {
    return this.entries.size;
  }

  has(address: PeerAddress): boolean {
    return this.entries.has(addressKey(address));
  }

  /** Enters a peer or renews it. False when its neighbourhood is full. */
  put(entry: PeerEntry): boolean {
    const key = addressKey(entry);
    const known = this.entries.has(key);
    const group = addressGroup(entry.host);
    const inGroup = this.groups.get(group) ?? 0;
    if (!known && this.options.perGroup !== undefined && inGroup >= this.options.perGroup) return false;
    if (!known) this.groups.set(group, inGroup + 1);
    this.entries.set(key, entry);
    if (this.entries.size > this.options.limit) this.dropOldest();
    return true;
  }

  remove(address: PeerAddress): void {
    if (!this.entries.delete(addressKey(address))) return;
    const group = addressGroup(address.host);
    const left = (this.groups.get(group) ?? 1) - 1;
    if (left > 0) this.groups.set(group, left);
    else this.groups.delete(group);
  }

  /** All entries, the last seen first. */
  newestFirst(): PeerEntry[] {
    return [...this.entries.values()].sort((a, b) => b.lastSeen - a.lastSeen);
  }

  private dropOldest(): void {
    let oldest: PeerEntry | undefined;
    for (const entry of this.entries.values())
      if (oldest === undefined || entry.lastSeen < oldest.lastSeen) oldest = entry;
    if (oldest !== undefined) this.remove(oldest);
  }
}
