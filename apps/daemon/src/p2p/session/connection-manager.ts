import type { Duplex } from 'node:stream';
import {
  BodyError,
  bodyLimit,
  Command,
  handshakeRequest,
  handshakeResponse,
  type PeerLists,
  type SyncData,
  timedSyncRequest,
  timedSyncResponse,
} from '@wrkz/levin';
import { awaitsObjects, isRequested, routeFrame } from '../commands/router';
import { PeerConnection } from '../connection/peer-connection';
import { HANDSHAKE_TIMEOUT } from '../constants';
import type { P2pContext } from '../context';
import type { Bans } from '../limits/bans';
import { closeReasons, type CloseReason } from '../limits/close-reasons';
import { accountKey, type PeerAddress } from '../addresses';
import { reportRejection } from '../report-errors';
import { slotFor } from '../peers/incoming-slots';
import { checkNodeData, takeNodeData } from './node-data';
import { Session } from './session';

/** Max body bytes of requests without lists; an honest body has about 200 bytes. */
const REQUEST_LIMITS: ReadonlyMap<number, number> = new Map([
  [Command.handshake, 8 * 1024],
  [Command.timedSync, 8 * 1024],
]);

/** Purpose of a call: to stay connected, or only to receive the peer list. */
export type CallPurpose = 'session' | 'peer-list';

/** Creates sessions for incoming and outgoing sockets, and exchanges sync data with them. */
export class ConnectionManager {
  private accepting = false;

  constructor(
    private readonly context: P2pContext,
    private readonly bans: Bans,
    private readonly onClosed: (session: Session, reason: CloseReason) => void,
  ) {}

  /** Starts to accept and dial connections. */
  begin(): void {
    this.accepting = true;
  }

  /** Closes all sessions and accepts no new ones. */
  end(): void {
    this.accepting = false;
    for (const session of this.context.sessions.open()) session.close(closeReasons.stopping);
  }

  /** Closes the connections to banned addresses. */
  closeBanned(): void {
    for (const session of this.context.sessions.open()) {
      if (this.bans.isBanned(session.connection.remote.host)) session.close(closeReasons.banned);
    }
  }

  /**
   * Handles an incoming connection. Banned ones, and those above the limits, are closed at once. If all slots are in use, the
   * oldest connection without a handshake is closed.
   */
  accept(socket: Duplex, remote: PeerAddress): void {
    const { config, budgets, sessions } = this.context;
    const slot = slotFor(remote, sessions.open(), config.inPeers);
    const isBanned = this.bans.isBanned(remote.host);
    if (!this.accepting || slot === 'none' || isBanned || !budgets.of(remote).take('connections')) {
      socket.destroy();
      return;
    }
    if (slot !== 'free') slot.close(closeReasons.gaveWay);
    this.serve(this.open(socket, remote, true));
  }

  /**
   * Dials a peer and performs the handshake. Returns whether it succeeded. With purpose `peer-list` the connection is closed
   * after the list was received.
   */
  async call(address: PeerAddress, purpose: CallPurpose): Promise<boolean> {
    const socket = await this.context.transport.connect(address);
    if (socket === undefined) return false;
    if (!this.accepting) {
      socket.destroy();
      return false;
    }
    const session = this.open(socket, address, false);
    return orClose(session, this.shakeHands(session, purpose));
  }

  /** Sends a timed sync to each peer that we do not synchronise from. */
  timedSync(): void {
    for (const session of this.context.sessions.open()) {
      if (session.state !== 'normal' && session.state !== 'idle') continue;
      reportRejection(
        this.context.logger,
        `${session.name}: timed sync`,
        orClose(session, this.timedSyncWith(session)),
      );
    }
  }

  /** Closes sessions that time out or do not finish the handshake; called about once a second. */
  tick(): void {
    const now = this.context.clock.now();
    for (const session of this.context.sessions.open()) {
      session.connection.tick();
      session.tick(now);
      if (!session.handshaken && now - session.startedAt > HANDSHAKE_TIMEOUT)
        session.close(closeReasons.handshakeTimeout);
    }
  }

  private open(socket: Duplex, remote: PeerAddress, incoming: boolean): Session {
    const { clock, logger, memory, budgets, sessions } = this.context;
    const budget = budgets.enter(remote);
    const share = memory.open(accountKey(remote), () => connection.close(closeReasons.memoryBudget));
    const connection: PeerConnection = new PeerConnection({
      socket,
      remote,
      incoming,
      clock,
      logger,
      share,
      budget,
      isRequested: (frame) => isRequested(this.context, session, frame),
      limitOf: (header) => {
        const limit = bodyLimit(header, {
          // An outgoing peer may send frames directly after its handshake response, before that is parsed.
          handshaken: session.handshaken || !incoming,
          objectsRequested: awaitsObjects(this.context, session),
          transactionsRequested: session.awaitsTransactions,
        });
        return header.kind === 'response' ? limit : Math.min(limit, REQUEST_LIMITS.get(header.command) ?? limit);
      },
      onClose: (reason) => {
        share.close();
        budgets.leave(budget);
        this.closed(session, reason);
      },
    });
    const session = new Session(sessions.takeId(), connection, budget, clock);
    sessions.add(session);
    return session;
  }

  /** Starts the frame handling of a session. */
  private serve(session: Session): void {
    session.connection.start((frame) => routeFrame(this.context, session, frame));
  }

  private async shakeHands(session: Session, purpose: CallPurpose): Promise<boolean> {
    const syncData = await this.handshake(session);
    if (syncData === undefined) return false;
    if (purpose === 'peer-list') {
      session.close(closeReasons.peerListTaken);
      return true;
    }
    this.context.driver.consider(session, syncData, true);
    this.serve(session);
    if (session.isOpen) this.context.onHandshaken(session);
    return session.isOpen;
  }

  private async timedSyncWith(session: Session): Promise<void> {
    const syncData = await this.requestTimedSync(session);
    if (syncData !== undefined) this.context.driver.consider(session, syncData, false);
  }

  /** Performs the handshake of an outgoing connection. Closes it if the peer is incompatible. @returns the sync data of the peer */
  private async handshake(session: Session): Promise<SyncData | undefined> {
    const { config, logger, own } = this.context;
    const request = handshakeRequest.encode({
      nodeData: own.nodeData(session.connection.remote.host),
      syncData: own.syncData(),
    });
    const frame = await session.connection.request(Command.handshake, request, HANDSHAKE_TIMEOUT);
    if (frame === undefined) {
      session.close(closeReasons.handshakeTimeout);
      return undefined;
    }
    const message = decodeOr(() => handshakeResponse.decode(frame.body));
    // Some programs refuse a handshake with an empty body.
    if (message === undefined) {
      session.close(frame.body.length === 0 ? closeReasons.handshakeRefused : closeReasons.badBody);
      return undefined;
    }
    const refusal = checkNodeData(message.nodeData, config.networkId, own.peerId);
    if (refusal !== undefined) {
      if (refusal === closeReasons.ownConnection) own.meet(session.connection.remote);
      session.close(refusal);
      return undefined;
    }
    if (!this.takePeers(session, message, message.nodeData.localTime)) return undefined;
    takeNodeData(session, message.nodeData, logger);
    this.noteReached(session);
    return message.syncData;
  }

  /** Exchanges sync data with a peer. @returns undefined without a valid response */
  private async requestTimedSync(session: Session): Promise<SyncData | undefined> {
    const { config, clock, own } = this.context;
    const startedAt = clock.now();
    const request = timedSyncRequest.encode({ syncData: own.syncData() });
    const frame = await session.connection.request(Command.timedSync, request, 2 * config.timedSyncInterval);
    if (frame === undefined || !session.isOpen) return undefined;
    session.latency = Math.min(session.latency, clock.now() - startedAt);
    const message = decodeOr(() => timedSyncResponse.decode(frame.body));
    if (message === undefined) {
      session.close(closeReasons.badBody);
      return undefined;
    }
    if (!this.takePeers(session, message, message.localTime)) return undefined;
    this.noteReached(session, true);
    return message.syncData;
  }

  /** Merges a peer's lists; a list from the future closes the connection. */
  private takePeers(session: Session, lists: PeerLists, senderTime: bigint): boolean {
    const { book, own } = this.context;
    const source = session.connection.remote.host;
    if (book.merge([...lists.peers, ...lists.peers6], source, senderTime, own.seconds)) return true;
    session.close(closeReasons.futurePeerList);
    return false;
  }

  /** Adds an outgoing peer that responded to the white list. */
  private noteReached(session: Session, isProven = false): void {
    if (session.incoming) return;
    const { book, own } = this.context;
    book.addWhite({
      ...session.connection.remote,
      id: session.peerId,
      lastSeen: own.seconds,
      ...(isProven && { isProven }),
    });
  }

  private closed(session: Session, reason: CloseReason): void {
    const { sessions, logger } = this.context;
    if (!sessions.remove(session)) return;
    logger.debug(`${session.name}: closed: ${reason.text}`);
    this.onClosed(session, reason);
  }
}

/** Closes the session if handling a response fails, like `PeerConnection` for frames. The caller logs the error. */
async function orClose<T>(session: Session, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    session.close(closeReasons.internalError);
    throw error;
  }
}

function decodeOr<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof BodyError) return undefined;
    throw error;
  }
}
