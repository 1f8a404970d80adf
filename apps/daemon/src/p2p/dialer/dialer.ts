import type { PeerEntry } from '@wrkz/levin';
import { groupBy } from '@wrkz/service-kit/base';
import { addressGroup, addressKey, isLocalHost, type PeerAddress } from '../addresses';
import { randomIndex } from '../clock';
import type { P2pConfig } from '../config';
import type { Bans } from '../limits/bans';
import type { AddressBook } from '../peers/address-book';
import type { P2pClock, P2pLogger, P2pRandom } from '../ports';
import { reportRejection } from '../report-errors';
import type { CallPurpose } from '../session/connection-manager';
import { ExplicitPeers, SEED_INTERVAL, type Seeds } from './peer-sources';

const FAILED_WAIT = 600_000;
const VERIFY_INTERVAL = 60_000;
const PROVEN_SHARE = 0.7;
const CALLS_AT_A_TIME = 4;
const FEW_CONNECTIONS = 3;
/** Additional peers beyond `--out-peers` while the tip is stale. */
const EXTRA_WHEN_STALE = 2;
const NO_PEERS_WARNING = 120_000;

export type DialerOptions = Pick<P2pConfig, 'outPeers' | 'exclusiveNodes' | 'priorityNodes' | 'addedPeers'>;

export interface DialerDependencies {
  readonly book: AddressBook;
  readonly bans: Bans;
  readonly seeds: Seeds;
  readonly clock: P2pClock;
  readonly random: P2pRandom;
  readonly logger: P2pLogger;
  /** Dials a peer and performs the handshake; true on success. */
  call(address: PeerAddress, purpose: CallPurpose): Promise<boolean>;
  /** The endpoints of open outgoing connections. */
  outgoing(): readonly PeerAddress[];
  connectionCount(): number;
  /** No block was added for 30 minutes: our peers may be the reason. */
  isTipStale(): boolean;
}

/**
 * Selects the peers to dial. With exclusive nodes no others are dialed. Priority nodes are always dialed, then added peers, those
 * of the last run, and the address book: proven peers for 70 % of the slots, never two of one network group, none that failed
 * within ten minutes. Seeds are dialed when no peer is known, or none is left to dial and fewer than 3 are connected.
 */
export class Dialer {
  private readonly exclusive: ExplicitPeers;
  private readonly priority: ExplicitPeers;
  private readonly added: ExplicitPeers;
  private readonly calling = new Map<string, PeerAddress>();
  private readonly failedAt = new Map<string, number>();
  /** Configured peers that turned out to be this node itself. */
  private readonly ownNames = new Set<string>();
  private anchors: PeerAddress[] = [];
  private verifiedAt: number;
  private seedsAt = -Infinity;
  private seedsRequestedAt = 0;
  private aloneSince: number | undefined;

  constructor(
    private readonly options: DialerOptions,
    private readonly dependencies: DialerDependencies,
  ) {
    const { exclusiveNodes, priorityNodes, addedPeers } = options;
    this.exclusive = new ExplicitPeers(exclusiveNodes);
    this.priority = new ExplicitPeers(priorityNodes);
    this.added = new ExplicitPeers(addedPeers);
    this.verifiedAt = dependencies.clock.now();
  }

  /** Time at which seeds were last dialed, Unix seconds; 0 for never. */
  get lastSeedBootstrap(): number {
    return Math.floor(this.seedsRequestedAt / 1000);
  }

  /** Peers that the last run was connected to. */
  useAnchors(anchors: readonly PeerAddress[]): void {
    this.anchors = anchors.filter((address) => this.dependencies.book.allows(address));
  }

  /** Whether the operator configured this peer. Such peers are never banned automatically. */
  isExplicit(address: PeerAddress): boolean {
    return this.exclusive.has(address) || this.priority.has(address) || this.added.has(address);
  }

  /** Does not dial a peer for a while, as after a failed call: it misbehaved, or its chain does not connect to ours. */
  avoid(address: PeerAddress): void {
    const now = this.dependencies.clock.now();
    this.failedAt.set(addressKey(address), now);
    for (const peers of [this.exclusive, this.priority, this.added]) peers.avoid(address, now);
  }

  /** Dials the peers that are due; called about once a second. */
  tick(): void {
    this.warnWhenAlone();
    this.callExplicit(this.exclusive, Infinity);
    if (!this.exclusive.isEmpty) return;
    this.callExplicit(this.priority, Infinity);
    this.callExplicit(this.added, this.freeSlots());
    for (const anchor of this.anchors.splice(0)) if (this.freeSlots() > 0) this.begin(anchor, 'session');
    const anybody = this.callFromLists();
    this.verifyGray();
    if (!anybody && (this.dependencies.book.isEmpty || this.dependencies.outgoing().length < FEW_CONNECTIONS))
      this.askSeeds();
  }

  /** Connected peers and peers being dialed. A peer in its handshake is in both lists and counts once. */
  private taken(): PeerAddress[] {
    const all = [...this.dependencies.outgoing(), ...this.calling.values()];
    return [...new Map(all.map((address) => [addressKey(address), address])).values()];
  }

  private freeSlots(): number {
    const { outPeers } = this.options;
    const extra = outPeers > 0 && this.dependencies.isTipStale() ? EXTRA_WHEN_STALE : 0;
    return outPeers + extra - this.taken().length;
  }

  private isBusy(address: PeerAddress): boolean {
    const key = addressKey(address);
    return this.calling.has(key) || this.dependencies.outgoing().some((open) => addressKey(open) === key);
  }

  private callExplicit(peers: ExplicitPeers, slots: number): void {
    if (slots <= 0) return;
    const now = this.dependencies.clock.now();
    for (const address of peers.due(now, (peer) => this.isBusy(peer))) {
      const call = this.start(address, 'session').then((reached) => {
        if (reached) peers.reached(address, this.dependencies.clock.now());
      });
      reportRejection(this.dependencies.logger, `calling ${addressKey(address)}`, call);
    }
  }

  /** Dials peers of the lists while slots are free; false if slots remain free because there is no peer to dial. */
  private callFromLists(): boolean {
    let called = 0;
    for (; called < CALLS_AT_A_TIME && this.calling.size < CALLS_AT_A_TIME && this.freeSlots() > 0; called += 1) {
      const peer = this.nextPeer();
      if (peer === undefined) return called > 0 || this.calling.size > 0;
      this.begin(peer, 'session');
    }
    return true;
  }

  private nextPeer(): PeerEntry | undefined {
    const taken = this.taken();
    const { proven, reported, callers } = this.dependencies.book.candidates();
    const wantProven = taken.length < Math.floor(this.options.outPeers * PROVEN_SHARE);
    // Peers known only from incoming connections come last: an attacker can create many of them.
    const lists = wantProven ? [proven, reported, callers] : [reported, proven, callers];
    const groups = new Set(taken.filter(({ host }) => !isLocalHost(host)).map(({ host }) => addressGroup(host)));
    for (const entries of lists) {
      const usable = entries.filter(
        (entry) => !groups.has(this.dependencies.book.groupOf(entry)) && this.isUsable(entry),
      );
      const chosen = this.choose(usable);
      if (chosen !== undefined) return chosen;
    }
    return undefined;
  }

  /** Picks a group at random, then one of its peers: many addresses of one network gain nothing. */
  private choose(candidates: readonly PeerEntry[]): PeerEntry | undefined {
    const groups = groupBy(candidates, (candidate) => this.dependencies.book.groupOf(candidate));
    const members = pick([...groups.values()], this.dependencies.random) ?? [];
    return pick(members, this.dependencies.random);
  }

  private isUsable(address: PeerAddress): boolean {
    if (this.isBusy(address) || this.dependencies.bans.isBanned(address.host)) return false;
    const failed = this.failedAt.get(addressKey(address));
    return failed === undefined || this.dependencies.clock.now() - failed >= FAILED_WAIT;
  }

  /** Once a minute, dials a gray peer for its list (feeler connection): it becomes white if it responds, else it is dropped. */
  private verifyGray(): void {
    const now = this.dependencies.clock.now();
    if (now - this.verifiedAt < VERIFY_INTERVAL) return;
    this.verifiedAt = now;
    const chosen = this.choose(this.dependencies.book.grayEntries().filter((entry) => this.isUsable(entry)));
    if (chosen !== undefined) this.begin(chosen, 'peer-list');
  }

  private askSeeds(): void {
    const now = this.dependencies.clock.now();
    if (!this.dependencies.seeds.areConfigured || now - this.seedsAt < SEED_INTERVAL) return;
    this.seedsAt = now;
    this.seedsRequestedAt = this.dependencies.clock.wall();
    reportRejection(this.dependencies.logger, 'calling seeds', this.callSeeds());
  }

  private async callSeeds(): Promise<void> {
    const addresses = await this.dependencies.seeds.list();
    const reached = await Promise.all(
      addresses.filter((address) => !this.isBusy(address)).map((address) => this.start(address, 'peer-list')),
    );
    if (!reached.includes(true)) this.dependencies.logger.warning('no seed node could be reached');
  }

  private begin(address: PeerAddress, purpose: CallPurpose): void {
    reportRejection(this.dependencies.logger, `calling ${addressKey(address)}`, this.start(address, purpose));
  }

  private async start(address: PeerAddress, purpose: CallPurpose): Promise<boolean> {
    const key = addressKey(address);
    if (this.isOurselves(address)) return false;
    if (this.calling.has(key) || (this.dependencies.bans.isBanned(address.host) && !this.isExplicit(address)))
      return false;
    this.calling.set(key, address);
    let reached = false;
    try {
      reached = await this.dependencies.call(address, purpose);
    } finally {
      this.calling.delete(key);
      if (reached) this.failedAt.delete(key);
      else this.noteFailure(key, address, purpose);
    }
    return reached;
  }

  private isOurselves(address: PeerAddress): boolean {
    if (!this.dependencies.book.isOwn(address)) return false;
    const key = addressKey(address);
    if (this.isExplicit(address) && !this.ownNames.has(key)) {
      this.ownNames.add(key);
      this.dependencies.logger.warning(`${key} is this node itself; it is not called`);
    }
    return true;
  }

  private noteFailure(key: string, address: PeerAddress, purpose: CallPurpose): void {
    const now = this.dependencies.clock.now();
    this.failedAt.set(key, now);
    // Without any connection the cause is likely our network, so the failure does not count against the entry.
    if (this.dependencies.connectionCount() > 0) {
      this.dependencies.book.noteFailure(address);
      if (purpose === 'peer-list') this.dependencies.book.dropGray(address);
    }
    for (const [failed, at] of this.failedAt) if (now - at >= FAILED_WAIT) this.failedAt.delete(failed);
  }

  private warnWhenAlone(): void {
    const now = this.dependencies.clock.now();
    if (this.dependencies.connectionCount() > 0) {
      this.aloneSince = undefined;
    } else {
      this.aloneSince ??= now;
      if (now - this.aloneSince < NO_PEERS_WARNING) return;
      this.aloneSince = Infinity;
      this.dependencies.logger.warning('no peers for two minutes; is the network reachable?');
    }
  }
}

function pick<T>(items: readonly T[], random: P2pRandom): T | undefined {
  return items.length === 0 ? undefined : items[randomIndex(random, items.length)];
}
