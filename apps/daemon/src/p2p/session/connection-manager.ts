import type { Duplex } from 'node:stream';
import {
  bodyLimit,
  Command,
  handshakeRequest,
  handshakeResponse,
  type PeerLists,
  timedSyncRequest,
  timedSyncResponse,
} from '@wrkz/levin';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import { PeerConnection } from '../connection/peer-connection';
import { HANDSHAKE_TIMEOUT } from '../constants';
import type { CallPurpose } from '../dialer/dialer';
import { reportRejection } from '../util/report-errors';
import { know, makeHandlers } from '../handlers/handlers';
import { judgeNodeData } from './handshake';
import { isLocalHost, type PeerAddress } from '../util/address';
import type { Room } from '../context';
import { routeFrame, type Handlers } from '../handlers/router';
import { Session } from './session';

/** Places for callers who have not said who they are, back pings among them. */
const EXTRA_INCOMING = 16;
const INCOMING_PER_HOST = 4;

export interface ConnectionManagerEvents {
  onConnected(session: Session): void;
  onClosed(session: Session, reason: CloseReason): void;
}

/** Makes sessions of sockets: those that come in, those that we call, and the talk that keeps them up to date. */
export class ConnectionManager {
  private readonly handlers: Handlers;
  private accepting = false;

  constructor(
    private readonly room: Room,
    private readonly events: ConnectionManagerEvents,
  ) {
    this.handlers = makeHandlers(room, (session) => {
      if (session.isOpen) events.onConnected(session);
    });
  }

  /** From now on sockets become sessions. */
  begin(): void {
    this.accepting = true;
  }

  /** Closes every session; nothing new is taken. */
  end(): void {
    this.accepting = false;
    this.room.driver.coordinator.stop();
    for (const session of this.room.sessions.open()) session.close(closeReasons.stopping);
  }

  /** A caller. Banned ones, and those above the limits, are hung up on at once. */
  accept(socket: Duplex, remote: PeerAddress): void {
    const { config, bans, sessions } = this.room;
    const incoming = sessions.open().filter((session) => session.incoming);
    const sameHost = incoming.filter((session) => session.connection.remote.host === remote.host).length;
    const crowded = sameHost >= INCOMING_PER_HOST && !isLocalHost(remote.host);
    const full = incoming.length >= config.inPeers + EXTRA_INCOMING;
    if (!this.accepting || full || crowded || bans.isBanned(remote.host)) {
      socket.destroy();
      return;
    }
    this.serve(this.open(socket, remote, true));
  }

  /**
   * Calls a peer and shakes hands. True when it is one of ours; with purpose `peer-list` the connection is closed
   * again once the list is taken.
   */
  async call(address: PeerAddress, purpose: CallPurpose): Promise<boolean> {
    const { transport, local } = this.room;
    const socket = await transport.connect(address);
    if (socket === undefined) return false;
    if (!this.accepting) {
      socket.destroy();
      return false;
    }
    const session = this.open(socket, address, false);
    const request = handshakeRequest.encode({ nodeData: local.node(), syncData: local.sync() });
    const frame = await session.connection.request(Command.handshake, request, HANDSHAKE_TIMEOUT);
    if (frame === undefined) {
      session.close(closeReasons.handshakeTimeout);
      return false;
    }
    return this.shakenHands(session, frame.body, purpose);
  }

  /** Tells every settled peer where our chain stands, and hears where theirs does. */
  timedSync(): void {
    const body = timedSyncRequest.encode({ syncData: this.room.local.sync() });
    for (const session of this.room.sessions.open()) {
      if (session.state !== 'normal' && session.state !== 'idle') continue;
      reportRejection(this.room.logger, `${session.name}: timed sync`, this.timedSyncWith(session, body));
    }
  }

  /** Ends sessions that keep silent, do not read or never say who they are; called about once a second. */
  tick(): void {
    const now = this.room.clock.now();
    for (const session of this.room.sessions.open()) {
      session.connection.tick();
      session.tick(now);
      if (!session.handshaken && now - session.startedAt > HANDSHAKE_TIMEOUT)
        session.close(closeReasons.handshakeTimeout);
    }
  }

  private open(socket: Duplex, remote: PeerAddress, incoming: boolean): Session {
    const { clock, logger, budget, sessions, driver } = this.room;
    const connection: PeerConnection = new PeerConnection({
      socket,
      remote,
      incoming,
      clock,
      logger,
      budget,
      limitOf: (header) =>
        bodyLimit(header, {
          // A peer that we called ourselves may send right behind its answer, before that is understood.
          handshaken: session.handshaken || !incoming,
          objectsAsked: driver.coordinator.objectsAsked(session),
          transactionsAsked: session.transactionsAsked,
        }),
      onClose: (reason) => {
        this.closed(session, reason);
      },
    });
    const session = new Session(sessions.takeId(), connection, clock.now());
    sessions.add(session);
    return session;
  }

  /** Lets the frames of a session be handled. */
  private serve(session: Session): void {
    session.connection.start((frame) => routeFrame(session, frame, this.handlers, this.room.logger));
  }

  private closed(session: Session, reason: CloseReason): void {
    const { sessions, logger, blocks, driver } = this.room;
    if (!sessions.remove(session)) return;
    logger.debug(`${session.name}: closed: ${reason.text}`);
    blocks.left(session);
    driver.left(session);
    this.events.onClosed(session, reason);
  }

  private shakenHands(session: Session, body: Buffer, purpose: CallPurpose): boolean {
    const { config, local, driver } = this.room;
    const message = decodeOr(() => handshakeResponse.decode(body));
    // An empty body is how some programs refuse.
    if (message === undefined) {
      session.close(body.length === 0 ? closeReasons.handshakeRefused : closeReasons.badBody);
      return false;
    }
    const refusal = judgeNodeData(message.nodeData, config.networkId, local.peerId);
    if (refusal !== undefined) {
      session.close(refusal);
      return false;
    }
    if (!this.takePeers(session, message, message.nodeData.localTime)) return false;
    know(this.room, session, message.nodeData);
    this.seen(session);
    if (purpose === 'peer-list') {
      session.close(closeReasons.peerListTaken);
      return true;
    }
    driver.consider(session, message.syncData, true);
    this.serve(session);
    if (session.isOpen) this.events.onConnected(session);
    return session.isOpen;
  }

  private async timedSyncWith(session: Session, body: Buffer): Promise<void> {
    const { config, driver } = this.room;
    const frame = await session.connection.request(Command.timedSync, body, 2 * config.timedSyncInterval);
    if (frame === undefined || !session.isOpen) return;
    const message = decodeOr(() => timedSyncResponse.decode(frame.body));
    if (message === undefined) {
      session.close(closeReasons.badBody);
      return;
    }
    if (!this.takePeers(session, message, message.localTime)) return;
    this.seen(session);
    driver.consider(session, message.syncData, false);
  }

  /** Merges a peer's lists; a list from the future closes the connection. */
  private takePeers(session: Session, lists: PeerLists, senderTime: bigint): boolean {
    const { book, local } = this.room;
    if (book.merge([...lists.peers, ...lists.peers6], senderTime, local.seconds)) return true;
    session.close(closeReasons.futurePeerList);
    return false;
  }

  /** A peer that we reached ourselves is white. */
  private seen(session: Session): void {
    if (session.incoming) return;
    const { book, local } = this.room;
    book.addWhite({ ...session.connection.remote, id: session.peerId, lastSeen: local.seconds });
  }
}

function decodeOr<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
