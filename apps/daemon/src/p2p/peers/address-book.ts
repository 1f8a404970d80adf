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
/** An entry that failed so often in a row may be replaced. */
const MAX_FAILURES = 3;

/** An entry with what this node learnt about it. */
export interface BookEntry extends PeerEntry {
  /** The network group that reported the address; a peer without one only called us. */
  readonly source?: string | undefined;
  /** Failed calls in a row. */
  readonly failures?: number | undefined;
  /** An outgoing connection to it lasted until its first timed sync. */
  readonly isProven?: boolean | undefined;
}

interface Placed {
  entry: BookEntry;
  readonly group: string;
  /** The bucket, host and group that it counts for. */
  readonly shares: readonly Share[];
}

interface Share {
  readonly name: string;
  readonly limit: number;
  readonly isBucket: boolean;
}

interface TableOptions {
  readonly buckets: number;
  /** Full shares: `reject` the newcomer, or `oldest` entry of the same host or group gives way (checked entries only). */
  readonly whenShareFull: 'reject' | 'oldest';
}

/**
 * A hash table of fixed buckets. A newcomer never displaces an entry of another group that works: a full bucket has space
 * only when one of its entries failed `MAX_FAILURES` times. Loopback and private addresses count for no share.
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

  /** Adds an entry that is not in the table; false when there is no space for it. */
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
    // Only now: without space in every share nothing is removed.
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

  /** All entries, the last seen first. */
  newestFirst(): BookEntry[] {
    return this.all().sort((a, b) => b.lastSeen - a.lastSeen);
  }

  /** The entry of a full share that gives way, if there is one. */
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

/** What is stored of an address book. */
export interface AddressBookState {
  readonly white: readonly BookEntry[];
  readonly gray: readonly BookEntry[];
  readonly bucketKey?: Buffer | undefined;
}

export interface AddressBookOptions {
  readonly allowLocal: boolean;
  /** Secret of this node, 32 bytes: decides the bucket of an address, so that an attacker cannot choose one. */
  readonly key: Buffer;
  /** Our own addresses and id: no table holds this node, even when peers report it. */
  readonly own?: { readonly addresses: OwnAddresses; readonly peerId: () => bigint };
}

/**
 * The address manager. White ("tried") peers have responded to us; gray ("new") peers were reported by others. An address is in one
 * of the two tables. Gray buckets are chosen by (source group, address group) and white ones by address group, so that the
 * peers of one network can fill only a small part of either (eclipse attacks).
 */
export class AddressBook {
  private readonly white = new BucketTable({ buckets: WHITE_BUCKETS, whenShareFull: 'oldest' });
  private readonly gray = new BucketTable({ buckets: GRAY_BUCKETS, whenShareFull: 'reject' });
  private key: Buffer;

  constructor(private readonly options: AddressBookOptions) {
    this.key = options.key;
  }

  /** Whether the tables may hold an address at all. */
  allows(address: PeerAddress): boolean {
    return this.isAllowed(address, hostFacts(address.host));
  }

  /** Whether this node itself is reached there. */
  isOwn(address: PeerAddress): boolean {
    return this.options.own?.addresses.has(address) ?? false;
  }

  /** More is known of where this node is reached: drops its own addresses. */
  dropOwn(): void {
    for (const table of [this.white, this.gray]) {
      for (const entry of table.newestFirst()) if (!this.accepts(entry, hostFacts(entry.host))) table.remove(entry);
    }
  }

  /** A peer that has responded to us: after an outgoing handshake or a back ping. It stays gray when its bucket is full. */
  addWhite(entry: BookEntry): void {
    const facts = hostFacts(entry.host);
    if (!this.accepts(entry, facts)) return;
    const known = this.white.get(entry);
    const { source, isProven } = { ...this.gray.get(entry), ...known, ...entry };
    const white = { ...entry, ...(source && { source }), ...(isProven && { isProven }) };
    if (known !== undefined) {
      this.white.update(white);
      return;
    }
    const position = this.hash(addressKey(entry)) % BUCKETS_PER_GROUP;
    if (this.white.add(white, facts, this.hash('white', groupOf(entry, facts), position))) this.gray.remove(entry);
    else if (this.gray.get(entry) === undefined) this.addGray(white);
    else this.gray.update(white);
  }

  /** A peer that `source` (a host) reported; what was reported earlier stays. */
  addGray(entry: BookEntry, source?: string): void {
    this.report(entry, source === undefined ? undefined : groupOf({ host: source, port: 0 }, hostFacts(source)));
  }

  /** A gray peer that did not respond. */
  dropGray(address: PeerAddress): void {
    this.gray.remove(address);
  }

  /** A call failed. After a few in a row another address may take the place. */
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

  /** All entries by how far they are trusted for outgoing connections, in no order. */
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

  /** The secret of the buckets, to be stored with the entries. */
  get bucketKey(): Buffer {
    return this.key;
  }

  /** Takes over the entries of the last run; `bucketKey` decided their buckets. */
  restore({ white, gray, bucketKey }: AddressBookState): void {
    if (this.isEmpty && bucketKey !== undefined) this.key = bucketKey;
    // Files of older versions do not mark peers that only called us.
    const isOld = bucketKey === undefined;
    for (const entry of gray) this.addGray(entry, isOld ? entry.host : undefined);
    for (const entry of white) this.addWhite({ ...(isOld && { source: 'unknown' }), ...entry });
  }

  /** The white peers to send: at most 250, the last seen first, none that was never seen. */
  toSend(): PeerEntry[] {
    return this.white
      .newestFirst()
      .filter((entry) => entry.lastSeen > 0)
      .slice(0, PEERS_PER_MESSAGE);
  }

  /**
   * Takes a peer list that `source` (a host) sent. `senderTime` and `now` in seconds. A list with an entry seen in the
   * sender's own future is refused whole (false). Times are moved to our clock and never lie in our future.
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

  /** An entry with our own peer id is this node by an address unknown to us. */
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

/** Each local endpoint is a group of its own. */
function groupOf(address: PeerAddress, { isLocal, group }: HostFacts): string {
  return isLocal ? addressKey(address) : group;
}
