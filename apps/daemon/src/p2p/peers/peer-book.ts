import type { PeerEntry } from '@wrkz/levin';
import {
  ENTRIES_PER_GROUP,
  ENTRIES_PER_HOST,
  GRAY_LIST_LIMIT,
  PEERS_PER_MESSAGE,
  WHITE_LIST_LIMIT,
} from '../constants';
import { isLocalHost, isUnusableHost, type PeerAddress } from '../util/address';
import { PeerList } from './peer-list';

const shares = { perHost: ENTRIES_PER_HOST, perGroup: ENTRIES_PER_GROUP };

/**
 * White peers (we reached them ourselves) and gray ones (others told us). A peer is in one list only; the white list is
 * what we send to others.
 */
export class PeerBook {
  private readonly white = new PeerList({ limit: WHITE_LIST_LIMIT, ...shares, keeps: 'latest' });
  private readonly gray = new PeerList({ limit: GRAY_LIST_LIMIT, ...shares, keeps: 'first' });

  constructor(private readonly options: { readonly allowLocal: boolean }) {}

  /** Whether an address may stand in a list at all. */
  allows(address: PeerAddress): boolean {
    if (!Number.isInteger(address.port) || address.port < 1 || address.port > 65535) return false;
    if (isUnusableHost(address.host)) return false;
    return this.options.allowLocal || !isLocalHost(address.host);
  }

  /** A peer that answered us: after an outgoing handshake or a back ping. */
  addWhite(entry: PeerEntry): void {
    if (!this.allows(entry)) return;
    this.white.put(entry);
    this.gray.remove(entry);
  }

  /** A peer that somebody told us of. */
  addGray(entry: PeerEntry): void {
    if (!this.allows(entry) || this.white.has(entry)) return;
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
