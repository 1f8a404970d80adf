import { EventEmitter } from 'node:events';
import type { PeerEntry } from '@wrkz/levin';
import type { Metrics } from '@wrkz/service-kit';
import type { P2pConfig } from './config';
import { listenForPeers, type PeerListener } from './connection/transport';
import { createContext, type P2pContext, type P2pDependencies } from './context';
import { Dialer } from './dialer/dialer';
import { Seeds } from './dialer/peer-sources';
import type { FetchedBlock } from './sync/objects';
import { PeerStore } from './peers/state-file';
import { type Ban, Bans, Penalties, readBanLists } from './limits/bans';
import type { CloseReason } from './limits/close-reasons';
import type { CommitEvent } from '../chain/service';
import type { Timer } from './ports';
import { ConnectionManager } from './session/connection-manager';
import type { Session } from './session/session';
import type { PeerInfo } from './session/session-table';
import { heightClaims, networkHeight } from './sync/network-height';
import { StaleTip } from './sync/stale-tip';
import type { SyncShare } from './sync/sync-peer';
import { addressKey, type PeerAddress } from './addresses';
import { reportNewThrow, reportRejection, reportThrow } from './report-errors';

const TICK = 1_000;
const SAVE_INTERVAL = 600_000;

export interface P2pEvents {
  /** Emitted once, when no connected peer has blocks that this node lacks. */
  synchronized: [];
  /** The height of the network by the claims of several peers has changed (a count: tip index + 1). */
  networkHeight: [number];
  connected: [{ readonly address: string; readonly incoming: boolean }];
  /** A peer has reported the height of its chain (a count: tip index + 1). */
  claimed: [{ readonly peer: string; readonly incoming: boolean; readonly height: number }];
  disconnected: [{ readonly address: string; readonly reason: string }];
}

/**
 * The peer-to-peer node: listens, dials, maintains the peer lists, synchronises the chain, and relays blocks and transactions.
 */
export class P2pNode extends EventEmitter<P2pEvents> {
  private readonly context: P2pContext;
  private readonly banned: Bans;
  private readonly penalties: Penalties;
  private readonly seeds: Seeds;
  private readonly dialer: Dialer;
  private readonly manager: ConnectionManager;
  private readonly store: PeerStore;
  private readonly staleTip: StaleTip;
  private opened: readonly PeerListener[] = [];
  private timers: Timer[] = [];
  private lastHeight = 0;

  constructor(config: P2pConfig, parts: P2pDependencies) {
    super();
    this.context = createContext(config, parts, {
      onHandshaken: (session) => this.connected(session),
      onSynchronized: () => this.emit('synchronized'),
      onClaim: (session, height) =>
        this.emit('claimed', { peer: String(session.peerId), incoming: session.incoming, height }),
      onIdle: () => this.context.blocks.announce(),
    });
    const { logger, clock, random, transport, sessions, own, book } = this.context;
    const seconds = (): number => Math.floor(clock.now() / 1000);
    const bans = new Bans(() => own.seconds, seconds);
    this.banned = bans;
    this.penalties = new Penalties({
      ...{ bans, budgets: this.context.budgets, logger },
      isNamed: (address) => this.dialer.isExplicit(address),
      avoid: (address) => this.dialer.avoid(address),
      onBanned: () => this.enforceBans(),
    });
    this.store = new PeerStore(config.stateFile, { own, book, bans, logger, called: () => sessions.called() });
    this.staleTip = new StaleTip({ clock, logger }, !config.synchronizedAlone);
    this.manager = new ConnectionManager(this.context, bans, (session, reason) => this.closed(session, reason));
    this.seeds = new Seeds({ ...config, resolve: (host) => transport.resolve(host), now: () => clock.now() });
    this.dialer = new Dialer(config, {
      book,
      bans,
      seeds: this.seeds,
      clock,
      random,
      logger,
      call: (address, purpose) => this.manager.call(address, purpose),
      outgoing: () => sessions.outgoing(),
      connectionCount: () => sessions.size,
      isTipStale: () => this.staleTip.isStale,
    });
  }

  /**
   * Reads the peer state, then starts to listen and to dial.
   * @throws Error with a message for the operator when the port cannot be used or a ban list cannot be read
   */
  async start(): Promise<void> {
    const { config, chain, pool, own } = this.context;
    this.banned.setLists(readBanLists(config.banLists));
    this.dialer.useAnchors(await this.store.restore(config.resetState));
    if (config.resetState) await this.store.save();
    this.opened = await listenForPeers(config, this.context, (socket, remote) => this.manager.accept(socket, remote));
    const [first, second] = this.opened;
    own.listeningPort = first?.port ?? 0;
    own.listeningPort6 = second?.port;
    own.addresses.listensAt(this.listensAt);
    this.context.book.dropOwn(); // the file may contain our own addresses
    this.manager.begin();
    chain.on('commit', this.onCommit);
    pool.on('added', this.onPoolAdded);
    this.timers = [
      this.every(TICK, () => this.tick()),
      this.every(config.timedSyncInterval, () => this.manager.timedSync()),
      this.every(SAVE_INTERVAL, () => void this.store.save()),
    ];
    this.dialer.tick();
  }

  /** Closes everything and stores the peer state. */
  async stop(): Promise<void> {
    const { opened } = this;
    this.opened = [];
    for (const timer of this.timers.splice(0)) timer.cancel();
    this.context.chain.off('commit', this.onCommit);
    this.context.pool.off('added', this.onPoolAdded);
    const saved = opened.length === 0 ? undefined : this.store.save();
    this.context.driver.stop();
    this.manager.end();
    await Promise.all([...opened.map((listener) => listener.close()), saved]);
  }

  /** The port of the listener. */
  get port(): number {
    return this.context.own.listeningPort;
  }

  /** The bound addresses: the first listener, and the IPv6 listener if there is one. */
  get listensAt(): PeerAddress[] {
    return this.opened.map(({ host, port }) => ({ host, port }));
  }

  /** The port that is announced to IPv4 peers, and that a router must forward. */
  get announcedPort(): number {
    return this.context.own.announcedPort;
  }

  /** Sets the external address that a router forwards to this node, to exclude it from the peer lists; undefined for none. */
  isMappedTo(address: PeerAddress | undefined): void {
    this.context.own.addresses.isMappedTo(address);
    this.context.book.dropOwn();
  }

  get peerId(): bigint {
    return this.context.own.peerId;
  }

  /** The height of the network: by the claims of several peers, or our own if higher; at least 1 (a count: tip index + 1). */
  networkHeight(): number {
    return Math.max(1, this.observedHeight(), this.context.chain.tip().height + 1);
  }

  /** The height by the claims of the connected peers; 0 without peers. */
  observedHeight(): number {
    const { sessions, chain, driver } = this.context;
    return networkHeight(heightClaims(sessions.handshaken(), chain, (one) => driver.coordinator.namedHeight(one)));
  }

  isSynchronized(): boolean {
    return this.context.driver.isSynchronized;
  }

  /** Whether the main chain has not grown for 30 minutes; never on networks where blocks are made on demand. */
  isTipStale(): boolean {
    return this.staleTip.isStale;
  }

  publish({ shared }: Metrics): void {
    shared.gauge('wrkz_tip_stale', 'Whether no block was added for 30 minutes', [], (gauge) =>
      gauge.set(Number(this.staleTip.isStale)),
    );
    shared.gauge('wrkz_tip_age_seconds', 'Seconds since the main chain last grew, or since the start', [], (gauge) =>
      gauge.set(this.staleTip.ageSeconds),
    );
  }

  connections(): { outgoing: number; incoming: number } {
    return this.context.sessions.counts();
  }

  /** The lists for `/peers`: endpoints as `ip:port`, IPv6 in brackets. */
  peerLists(): { white: string[]; gray: string[] } {
    const { book } = this.context;
    return { white: book.whiteEntries().map(addressKey), gray: book.grayEntries().map(addressKey) };
  }

  peerListSizes(): { white: number; gray: number } {
    return this.context.book.sizes;
  }

  seedCount(): number {
    return this.seeds.count;
  }

  /** Unix seconds; 0 for never. */
  lastSeedBootstrap(): number {
    return this.dialer.lastSeedBootstrap;
  }

  /** Statistics of the synchronisation. */
  sync(): { activePeers: number; averageBatchSize: number; demotedPeers: number } {
    const { coordinator, demotedPeers } = this.context.driver;
    return { activePeers: coordinator.activePeers, averageBatchSize: coordinator.averageBatchSize, demotedPeers };
  }

  /** The connections, with the download statistics of sync peers. */
  peers(): (PeerInfo & { readonly share: SyncShare | undefined })[] {
    const { sessions, driver } = this.context;
    return sessions.list().map(({ id, ...peer }) => ({ ...peer, share: driver.coordinator.shareOf(id) }));
  }

  /** The peers from which single blocks can be requested: peers that the synchronisation does not use now. */
  sessionIds(): number[] {
    const { sessions, driver } = this.context;
    return sessions.handshaken().flatMap((session) => (driver.coordinator.awaitsObjects(session) ? [] : [session.id]));
  }

  /** Requests blocks by their ids from one peer. @returns the delivered ones; none if the peer has disconnected */
  fetchBlocks(sessionId: number, ids: readonly Buffer[]): Promise<readonly FetchedBlock[]> {
    const session = this.context.sessions.get(sessionId);
    return session?.isOpen === true ? this.context.fetcher.request(session, ids) : Promise.resolve([]);
  }

  /** The peer lists with the known data of each peer, most recently seen first. */
  peerEntries(): { readonly white: PeerEntry[]; readonly gray: PeerEntry[] } {
    const { book } = this.context;
    return { white: book.whiteEntries(), gray: book.grayEntries() };
  }

  /** The configuration. */
  get settings(): P2pConfig {
    return this.context.config;
  }

  /** Writes the peer lists and bans now. */
  save(): Promise<void> {
    return this.store.save();
  }

  /**
   * Reads the ban lists again and closes connections to newly banned addresses.
   * @throws Error if a list cannot be read; the lists in use remain unchanged
   */
  reload(): void {
    const ranges = readBanLists(this.context.config.banLists);
    this.banned.setLists(ranges);
    this.manager.closeBanned();
    this.context.logger.info(`ban lists: ${ranges.length} addresses and ranges`);
  }

  bans(): Ban[] {
    return this.banned.list();
  }

  /** Bans an address or a range (default 900 s) and closes its connections. False if the text is not an address or range. */
  ban(host: string, seconds?: number): boolean {
    return this.penalties.ban(host, seconds);
  }

  unban(host: string): boolean {
    const removed = this.banned.remove(host);
    if (removed) void this.store.save();
    return removed;
  }

  private readonly onCommit = (commit: CommitEvent): void => {
    if (commit.kind === 'alternative') return;
    reportThrow(this.context.logger, 'announcing a block', () => {
      this.context.transactions.chainMoved();
      if (commit.added.length === 0) return;
      this.staleTip.grown();
      this.context.blocks.announce();
    });
  };

  private readonly onPoolAdded = (event: { readonly hash: Buffer }): void => {
    const { blocks, transactions, logger } = this.context;
    transactions.added(event.hash);
    reportRejection(logger, 'completing a block', blocks.transactionAdded(event.hash));
  };

  private every(milliseconds: number, work: () => void): Timer {
    return this.context.clock.every(milliseconds, reportNewThrow(this.context.logger, 'a timer', work));
  }

  private tick(): void {
    this.manager.tick();
    this.context.driver.tick();
    this.staleTip.tick();
    this.context.transactions.tick();
    this.dialer.tick();
    this.noteHeight();
  }

  private noteHeight(): void {
    const height = this.networkHeight();
    if (height === this.lastHeight) return;
    this.lastHeight = height;
    this.emit('networkHeight', height);
  }

  private connected(session: Session): void {
    if (!session.isOpen) return;
    const { logger } = this.context;
    logger.debug(`${session.name}: connected, version ${session.version}, height ${session.remoteHeight}`);
    this.emit('connected', { address: addressKey(session.connection.remote), incoming: session.incoming });
    this.noteHeight();
  }

  private closed(session: Session, reason: CloseReason): void {
    const { blocks, driver, fetcher } = this.context;
    blocks.left(session);
    fetcher.left(session);
    driver.left(session);
    const { incoming, connection } = session;
    const { remote } = connection;
    if (session.handshaken) this.emit('disconnected', { address: addressKey(remote), reason: reason.text });
    this.penalties.punish({ remote, incoming }, reason);
  }

  private enforceBans(): void {
    this.manager.closeBanned();
    void this.store.save();
  }
}
