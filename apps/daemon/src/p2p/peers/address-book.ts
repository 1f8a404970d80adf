import { createHash } from 'node:crypto';
import type { PeerEntry } from '@wrkz/levin';
import { addressKey, hostFacts, type HostFacts, type PeerAddress } from '../addresses';
import {
  ENTRIES_PER_GROUP,
  ENTRIES_PER_HOST,
  GRAY_LIST_LIMIT,
  PEERS_PER_MESSAGE,
  WHITE_LIST_LIMIT,
} from '../constants';
import type { OwnAddresses } from './own-addresses';

const BUCKET_SIZE = 20;
const GRAY_BUCKETS = GRAY_LIST_LIMIT / BUCKET_SIZE;
const WHITE_BUCKETS = WHITE_LIST_LIMIT / BUCKET_SIZE;
/** Number of gray buckets for the addresses from one source group: at most 160 entries. */
const BUCKETS_PER_SOURCE = 8;
const BUCKETS_PER_GROUP = 4;
/** Consecutive failures after which an entry may be replaced. */
const MAX_FAILURES = 3;

/** An entry with the local history of its address. */
export interface BookEntry extends PeerEntry {
  /** The network group that reported the address; undefined if it is only known from an incoming connection. */
  readonly source?: string | undefined;
  /** Consecutive failed calls. */
  readonly failures?: number | undefined;
  /** An outgoing connection to it lasted until its first timed sync. */
  readonly isProven?: boolean | undefined;
}

interface Placed {
  entry: BookEntry;
  readonly group: string;
  /** The bucket, host and group whose limits the entry counts for. */
  readonly shares: readonly Share[];
}

interface Share {
  readonly name: string;
  readonly limit: number;
  readonly isBucket: boolean;
}

interface TableOptions {
  readonly buckets: number;
  /** If a host or group is full: `reject` the new entry, or replace the `oldest` one (verified entries only). */
  readonly whenShareFull: 'reject' | 'oldest';
}

/**
 * A hash table with fixed buckets. A new entry never evicts a working entry of another group: in a full bucket only entries that
 * failed `MAX_FAILURES` times are replaced. Loopback and private addresses are exempt from the limits.
 */
class BucketTable {
  private readonly entries = new Map<string, Placed>();
  private readonly byShare = new Map<string, Set<Placed>>();

  constructor(private readonly options: TableOptions) {}

  get size(): number {
    return this.entries.size;
  }

  get(address: PeerAddress): BookEntry | undefined {
    return this.entries.get(addressKey(address))?.entry;
  }

  /** Replaces the data of an entry. */
  update(entry: BookEntry): void {
    const placed = this.entries.get(addressKey(entry));
    if (placed !== undefined) placed.entry = entry;
  }

  /** Adds an entry that is not in the table; false if there is no space for it. */
  add(entry: BookEntry, facts: HostFacts, hash: number): boolean {
    const shares = sharesOf(facts, hash % this.options.buckets);
    const victims = new Set<Placed>();
    for (const share of shares) {
      const members = [...(this.byShare.get(share.name) ?? [])].filter((placed) => !victims.has(placed));
      if (members.length < share.limit) continue;
      const victim = this.victim(members, share);
      if (victim === undefined) return false;
      victims.add(victim);
    }
    // Remove only now: if one share has no space, nothing is removed.
    for (const victim of victims) this.remove(victim.entry);
    const placed = { entry, shares, group: groupOf(entry, facts) };
    this.entries.set(addressKey(entry), placed);
    for (const { name } of shares) this.byShare.set(name, (this.byShare.get(name) ?? new Set()).add(placed));
    return true;
  }

  remove(address: PeerAddress): void {
    const key = addressKey(address);
    const placed = this.entries.get(key);
    if (placed === undefined) return;
    this.entries.delete(key);
    for (const { name } of placed.shares) {
      const members = this.byShare.get(name);
      members?.delete(placed);
      if (members?.size === 0) this.byShare.delete(name);
    }
  }

  groupOf(address: PeerAddress): string | undefined {
    return this.entries.get(addressKey(address))?.group;
  }

  all(): BookEntry[] {
    return [...this.entries.values()].map(({ entry }) => entry);
  }

  /** All entries, most recently seen first. */
  newestFirst(): BookEntry[] {
    return this.all().sort((a, b) => b.lastSeen - a.lastSeen);
  }

  /** The entry to evict from a full share, if there is one. */
  private victim(members: readonly Placed[], { isBucket }: Share): Placed | undefined {
    const mayReplace = this.options.whenShareFull === 'oldest' && !isBucket;
    let victim: Placed | undefined;
    for (const placed of members) {
      if (!mayReplace && (placed.entry.failures ?? 0) < MAX_FAILURES) continue;
      if (victim === undefined || placed.entry.lastSeen < victim.entry.lastSeen) victim = placed;
    }
    return victim;
  }
}

function sharesOf({ isLocal, network, group }: HostFacts, bucket: number): Share[] {
  const ofBucket = { name: `bucket ${bucket}`, limit: BUCKET_SIZE, isBucket: true };
  if (isLocal) return [ofBucket];
  return [
    { name: `host ${network}`, limit: ENTRIES_PER_HOST, isBucket: false },
    { name: `group ${group}`, limit: ENTRIES_PER_GROUP, isBucket: false },
    ofBucket,
  ];
}

/** The persistent state of an address book. */
export interface AddressBookState {
  readonly white: readonly BookEntry[];
  readonly gray: readonly BookEntry[];
  readonly bucketKey?: Buffer | undefined;
}

export interface AddressBookOptions {
  readonly allowLocal: boolean;
  /** Secret hash key of this node, 32 bytes. It determines the buckets, so that an attacker cannot choose them. */
  readonly key: Buffer;
  /** Own addresses and peer id: this node is never added, even if peers report it. */
  readonly own?: { readonly addresses: OwnAddresses; readonly peerId: () => bigint };
}

/**
 * The address manager. White ("tried") peers have responded to us; gray ("new") peers were reported by others. An address is in
 * one of the two tables. Gray buckets are chosen by (source group, address group) and white ones by address group, so that the
 * peers of one network can fill only a small part of either (eclipse attacks).
 */
export class AddressBook {
  private readonly white = new BucketTable({ buckets: WHITE_BUCKETS, whenShareFull: 'oldest' });
  private readonly gray = new BucketTable({ buckets: GRAY_BUCKETS, whenShareFull: 'reject' });
  private key: Buffer;

  constructor(private readonly options: AddressBookOptions) {
    this.key = options.key;
  }

  /** Whether an address may be added at all. */
  allows(address: PeerAddress): boolean {
    return this.isAllowed(address, hostFacts(address.host));
  }

  /** Whether the address belongs to this node. */
  isOwn(address: PeerAddress): boolean {
    return this.options.own?.addresses.has(address) ?? false;
  }

  /** Removes own addresses. Call it when more of them become known. */
  dropOwn(): void {
    for (const table of [this.white, this.gray]) {
      for (const entry of table.newestFirst()) if (!this.accepts(entry, hostFacts(entry.host))) table.remove(entry);
    }
  }

  /** Adds a peer that responded to an outgoing handshake or a back ping. It stays gray if its bucket is full. */
  addWhite(entry: BookEntry): void {
    const facts = hostFacts(entry.host);
    if (!this.accepts(entry, facts)) return;
    const known = this.white.get(entry);
    const { source, isProven } = { ...this.gray.get(entry), ...known, ...entry };
    const white = { ...entry, ...(source && { source }), ...(isProven && { isProven }) };
    if (known !== undefined) return this.white.update(white);
    const position = this.hash(addressKey(entry)) % BUCKETS_PER_GROUP;
    if (this.white.add(white, facts, this.hash('white', groupOf(entry, facts), position))) this.gray.remove(entry);
    else if (this.gray.get(entry) === undefined) this.addGray(white);
    else this.gray.update(white);
  }

  /** Adds a peer that `source` (a host) reported. Does not change an existing entry. */
  addGray(entry: BookEntry, source?: string): void {
    this.report(entry, source === undefined ? undefined : groupOf({ host: source, port: 0 }, hostFacts(source)));
  }

  /** Removes a gray peer that did not respond. */
  dropGray(address: PeerAddress): void {
    this.gray.remove(address);
  }

  /** Counts a failed call. After several consecutive ones the entry may be replaced. */
  noteFailure(address: PeerAddress): void {
    for (const table of [this.white, this.gray]) {
      const entry = table.get(address);
      if (entry !== undefined) table.update({ ...entry, failures: (entry.failures ?? 0) + 1 });
    }
  }

  whiteEntries(): BookEntry[] {
    return this.white.newestFirst();
  }

  grayEntries(): BookEntry[] {
    return this.gray.newestFirst();
  }

  /** All entries by trust level for outgoing connections, unordered. */
  candidates(): { readonly proven: BookEntry[]; readonly reported: BookEntry[]; readonly callers: BookEntry[] } {
    const entries = [...this.white.all(), ...this.gray.all()];
    return {
      proven: entries.filter(({ isProven }) => isProven === true),
      reported: entries.filter(isReported),
      callers: entries.filter((entry) => entry.isProven !== true && !isReported(entry)),
    };
  }

  /** The network group of an entry, without parsing its address. */
  groupOf(entry: PeerAddress): string {
    return this.white.groupOf(entry) ?? this.gray.groupOf(entry) ?? hostFacts(entry.host).group;
  }

  get isEmpty(): boolean {
    return this.white.size === 0 && this.gray.size === 0;
  }

  get sizes(): { readonly white: number; readonly gray: number } {
    return { white: this.white.size, gray: this.gray.size };
  }

  /** The secret hash key, to be stored with the entries. */
  get bucketKey(): Buffer {
    return this.key;
  }

  /** Restores the entries of the last run, whose buckets were determined by `bucketKey`. */
  restore({ white, gray, bucketKey }: AddressBookState): void {
    if (this.isEmpty && bucketKey !== undefined) this.key = bucketKey;
    // Files of older versions do not mark peers that only called us.
    const isOld = bucketKey === undefined;
    for (const entry of gray) this.addGray(entry, isOld ? entry.host : undefined);
    for (const entry of white) this.addWhite({ ...(isOld && { source: 'unknown' }), ...entry });
  }

  /** The white peers to send: at most 250, most recently seen first, without those never seen. */
  toSend(): PeerEntry[] {
    return this.white
      .newestFirst()
      .filter((entry) => entry.lastSeen > 0)
      .slice(0, PEERS_PER_MESSAGE);
  }

  /**
   * Merges a peer list that `source` (a host) sent. `senderTime` and `now` in seconds. Returns false and merges nothing if an
   * entry was seen after `senderTime`. Times are converted to our clock and limited to `now`.
   */
  merge(entries: readonly PeerEntry[], source: string, senderTime: bigint, now: number): boolean {
    const taken = entries.slice(0, PEERS_PER_MESSAGE);
    if (taken.some((entry) => BigInt(entry.lastSeen) > senderTime)) return false;
    const group = groupOf({ host: source, port: 0 }, hostFacts(source));
    for (const entry of taken) {
      const age = Number(senderTime - BigInt(entry.lastSeen));
      this.report({ ...entry, lastSeen: Math.max(0, now - age) }, group);
    }
    return true;
  }

  private report(entry: BookEntry, group: string | undefined): void {
    if (this.white.get(entry) !== undefined) return;
    const known = this.gray.get(entry);
    if (known !== undefined) {
      if (entry.lastSeen > known.lastSeen) this.gray.update({ ...known, lastSeen: entry.lastSeen });
      return;
    }
    const facts = hostFacts(entry.host);
    if (!this.accepts(entry, facts)) return;
    const own = groupOf(entry, facts);
    const source = entry.source ?? group;
    const position = this.hash(source ?? own, own) % BUCKETS_PER_SOURCE;
    const gray = { ...entry, ...(source !== undefined && { source }) };
    this.gray.add(gray, facts, this.hash('gray', source ?? own, position));
  }

  /** Rejects our own peer id: such an entry is an unknown address of this node. */
  private accepts(entry: PeerEntry, facts: HostFacts): boolean {
    return this.isAllowed(entry, facts) && entry.id !== this.options.own?.peerId();
  }

  private isAllowed(address: PeerAddress, { isLocal, isUnusable }: HostFacts): boolean {
    if (!Number.isInteger(address.port) || address.port < 1 || address.port > 65535) return false;
    return !isUnusable && (this.options.allowLocal || !isLocal) && !this.isOwn(address);
  }

  private hash(...words: readonly (string | number)[]): number {
    const hash = createHash('sha256').update(this.key);
    for (const word of words) hash.update(`${word}\n`);
    return hash.digest().readUInt32LE(0);
  }
}

const isReported = ({ isProven, source }: BookEntry): boolean => isProven !== true && source !== undefined;

/** Each local endpoint is a separate group. */
function groupOf(address: PeerAddress, { isLocal, group }: HostFacts): string {
  return isLocal ? addressKey(address) : group;
}
