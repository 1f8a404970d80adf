import { EventEmitter } from 'node:events';
import { Announcer } from './relay/announcer';
import { systemClock, systemRandom } from './util/clock';
import { blockCodec } from './util/block-codec';
import type { P2pConfig } from './config';
import { closeReasons, type CloseReason } from './penalties/close-reasons';
import { Dialer } from './dialer/dialer';
import { Seeds } from './dialer/seeds';
import { reportThrow } from './util/report-errors';
import { ByteBudget } from '@wrkz/levin';
import { OwnNodeData, newPeerId } from './session/node-data';
import { addressKey, isLocalHost } from './util/address';
import { Bans, type Ban } from './penalties/bans';
import { PeerBook } from './peers/peer-book';
import { PeerStore } from './peers/peer-store';
import { Scores } from './penalties/scores';
import type { BlockCodec, ChainAdvance, ChainPort, P2pClock, P2pLogger, P2pRandom, PoolPort, Timer } from './ports';
import { BlockRelay } from './relay/block-relay';
import { TransactionRelay } from './relay/transaction-relay';
import type { Room } from './context';
import { SessionTable, type PeerInfo } from './session/session-table';
import type { Session } from './session/session';
import { SyncDriver } from './sync/driver';
import { ConnectionManager } from './session/connection-manager';
import { tcpTransport, type Listener, type Transport } from './connection/transport';

/** Unfinished frames of all connections together. */
const INPUT_BUDGET = 256 * 1024 * 1024;
const TICK = 1_000;
const SAVE_INTERVAL = 600_000;

export interface P2pParts {
  readonly chain: ChainPort;
  readonly pool: PoolPort;
  readonly logger: P2pLogger;
  readonly clock?: P2pClock;
  readonly random?: P2pRandom;
  readonly transport?: Transport;
  readonly codec?: BlockCodec;
}

export interface P2pEvents {
  /** Once: nobody we know has blocks that we lack. */
  synchronized: [];
  /** The height of the network as several peers tell it has changed (a count: tip index + 1). */
  networkHeight: [number];
  connected: [{ readonly address: string; readonly incoming: boolean }];
  disconnected: [{ readonly address: string; readonly reason: string }];
}

/**
 * The peer-to-peer side of the node: listens, calls, keeps the lists, synchronises the chain and relays what is new.
 * `start` and `stop` frame its life; everything between happens by events.
 */
export class P2pNode extends EventEmitter<P2pEvents> {
  private readonly room: Room;
  private readonly seeds: Seeds;
  private readonly dialer: Dialer;
  private readonly switchboard: ConnectionManager;
  private readonly announcer: Announcer;
  private readonly store: PeerStore;
  private readonly scores: Scores;
  private listener: Listener | undefined;
  private timers: Timer[] = [];
  private lastHeight = 0;

  constructor(config: P2pConfig, parts: P2pParts) {
    super();
    const { chain, pool, logger } = parts;
    const clock = parts.clock ?? systemClock;
    const random = parts.random ?? systemRandom;
    const transport = parts.transport ?? tcpTransport;
    const codec = parts.codec ?? blockCodec;
    const seconds = (): number => Math.floor(clock.now() / 1000);
    const sessions = new SessionTable();
    const open = (): Session[] => sessions.open();
    const book = new PeerBook({ allowLocal: config.allowLocal });
    const bans = new Bans(seconds);
    const local = new OwnNodeData(config, newPeerId(random), chain, book, clock);
    const driver = new SyncDriver({
      config,
      chain,
      pool,
      codec,
      clock,
      logger,
      sessions: open,
      session: (id) => sessions.get(id),
      onSynchronized: () => this.emit('synchronized'),
      onIdle: () => this.announcer.announce(),
    });
    const blocks = new BlockRelay(chain, pool, codec, clock, logger, {
      wantsSync: (session) => driver.wantsSync(session),
      wantsPool: (session) => session.askPool(pool.hashes()),
    });
    const transactions = new TransactionRelay(pool, codec, clock, logger, open);
    const budget = new ByteBudget(INPUT_BUDGET);
    this.room = {
      config,
      chain,
      pool,
      logger,
      clock,
      codec,
      transport,
      budget,
      sessions,
      local,
      book,
      bans,
      driver,
      blocks,
      transactions,
    };
    this.scores = new Scores(bans, seconds);
    this.store = new PeerStore(config.stateFile, { local, book, bans, sessions, logger });
    this.announcer = new Announcer(chain, blocks, open, () => driver.coordinator.isDownloading, clock);
    this.switchboard = new ConnectionManager(this.room, {
      onConnected: (session) => this.connected(session),
      onClosed: (session, reason) => {
        this.closed(session, reason);
      },
    });
    this.seeds = new Seeds({ ...config, resolve: (host) => transport.resolve(host), now: () => clock.now() });
    this.dialer = new Dialer(config, book, bans, this.seeds, clock, random, logger, {
      call: (address, purpose) => this.switchboard.call(address, purpose),
      outgoing: () => open().flatMap((session) => (session.incoming ? [] : [session.connection.remote])),
      connectionCount: () => sessions.size,
    });
  }

  /**
   * Reads the peer state, listens and begins to call.
   * @throws Error with a message for the operator when the port cannot be used
   */
  async start(): Promise<void> {
    const { config, chain, pool, transport, local } = this.room;
    if (!config.resetState) this.dialer.useAnchors(await this.store.restore());
    this.listener = await transport.listen(config.bindHost, config.bindPort, (socket, remote) => {
      this.switchboard.accept(socket, remote);
    });
    local.listeningPort = this.listener.port;
    this.switchboard.begin();
    chain.on('commit', this.onCommit);
    pool.on('added', this.onPoolAdded);
    this.timers = [
      this.every(TICK, () => this.tick()),
      this.every(config.timedSyncInterval, () => this.switchboard.timedSync()),
      this.every(SAVE_INTERVAL, () => {
        void this.store.save();
      }),
    ];
    this.dialer.tick();
  }

  /** Closes everything and keeps the peer state. */
  async stop(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    for (const timer of this.timers.splice(0)) timer.cancel();
    this.room.chain.off('commit', this.onCommit);
    this.room.pool.off('added', this.onPoolAdded);
    const saved = listener === undefined ? undefined : this.store.save();
    this.switchboard.end();
    await Promise.all([listener?.close(), saved]);
  }

  /** The port that listens. */
  get port(): number {
    return this.room.local.listeningPort;
  }

  get peerId(): bigint {
    return this.room.local.peerId;
  }

  /** The height of the network: what several peers tell, or our own if higher; at least 1 (a count: tip index + 1). */
  networkHeight(): number {
    return Math.max(1, this.observedHeight(), this.room.chain.tip().height + 1);
  }

  /** The height that the connected peers tell; 0 without peers. */
  observedHeight(): number {
    return this.room.sessions.observedHeight();
  }

  isSynchronized(): boolean {
    return this.room.driver.isSynchronized;
  }

  connections(): { outgoing: number; incoming: number } {
    return this.room.sessions.counts();
  }

  /** The lists for `/peers`: endpoints as `ip:port`, IPv6 in brackets. */
  peerLists(): { white: string[]; gray: string[] } {
    const { book } = this.room;
    return { white: book.whiteEntries().map(addressKey), gray: book.grayEntries().map(addressKey) };
  }

  peerListSizes(): { white: number; gray: number } {
    return this.room.book.sizes;
  }

  seedCount(): number {
    return this.seeds.count;
  }

  /** Unix seconds; 0 = never. */
  lastSeedBootstrap(): number {
    return this.dialer.lastSeedBootstrap;
  }

  /** How the synchronisation goes. */
  sync(): { activePeers: number; averageBatchSize: number; demotedPeers: number } {
    const { coordinator, demotedPeers } = this.room.driver;
    return { activePeers: coordinator.activePeers, averageBatchSize: coordinator.averageBatchSize, demotedPeers };
  }

  peers(): PeerInfo[] {
    return this.room.sessions.list();
  }

  bans(): Ban[] {
    return this.room.bans.list();
  }

  /** Bans an address (900 s unless told otherwise) and closes its connections. False when the text is no IP address. */
  ban(host: string, seconds?: number): boolean {
    if (!this.room.bans.add(host, seconds)) return false;
    this.hangUpOnBanned();
    return true;
  }

  unban(host: string): boolean {
    const removed = this.room.bans.remove(host);
    if (removed) void this.store.save();
    return removed;
  }

  private readonly onCommit = (commit: ChainAdvance): void => {
    reportThrow(this.room.logger, 'announcing a block', () => {
      this.room.transactions.chainMoved();
      this.announcer.onCommit(commit);
    });
  };

  private readonly onPoolAdded = (event: { readonly hash: Buffer }): void => {
    this.room.transactions.added(event.hash);
  };

  private every(milliseconds: number, work: () => void): Timer {
    return this.room.clock.every(milliseconds, () => {
      reportThrow(this.room.logger, 'a timer', work);
    });
  }

  private tick(): void {
    this.switchboard.tick();
    this.room.driver.coordinator.tick();
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
    const { logger } = this.room;
    logger.debug(`${session.name}: connected, version ${session.version}, height ${session.remoteHeight}`);
    this.emit('connected', { address: addressKey(session.connection.remote), incoming: session.incoming });
    this.noteHeight();
  }

  private closed(session: Session, reason: CloseReason): void {
    const { remote } = session.connection;
    if (session.handshaken) this.emit('disconnected', { address: addressKey(remote), reason: reason.text });
    if (!session.incoming && (reason.points > 0 || reason === closeReasons.orphans)) this.dialer.avoid(remote);
    if (reason.points === 0 || isLocalHost(remote.host) || this.dialer.isExplicit(remote)) return;
    const banned = reason.ban === true ? this.room.bans.add(remote.host) : this.scores.add(remote.host, reason.points);
    if (!banned) return;
    this.room.logger.info(`${remote.host} is banned: ${reason.text}`);
    this.hangUpOnBanned();
  }

  private hangUpOnBanned(): void {
    for (const session of this.room.sessions.open()) {
      if (this.room.bans.isBanned(session.connection.remote.host)) session.close(closeReasons.banned);
    }
    void this.store.save();
  }
}
