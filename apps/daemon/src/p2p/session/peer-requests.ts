import {
  BodyError,
  Command,
  handshakeRequest,
  handshakeResponse,
  timedSyncRequest,
  timedSyncResponse,
  type PeerLists,
  type SyncData,
} from '@wrkz/levin';
import { HANDSHAKE_TIMEOUT } from '../constants';
import type { P2pContext } from '../context';
import { closeReasons } from '../limits/close-reasons';
import { checkNodeData, takeNodeData } from './node-data';
import type { Session } from './session';

export type PeerRequestsDependencies = Pick<P2pContext, 'config' | 'clock' | 'logger' | 'own' | 'book'>;

/** Requests to peers. Each returns the peer's sync data; undefined without a valid response. */
export class PeerRequests {
  constructor(private readonly dependencies: PeerRequestsDependencies) {}

  /** Performs the handshake of an outgoing connection. Closes it if the peer is incompatible. */
  async handshake(session: Session): Promise<SyncData | undefined> {
    const { config, logger, own } = this.dependencies;
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

  /** Exchanges sync data with a peer. */
  async timedSync(session: Session): Promise<SyncData | undefined> {
    const { config, clock, own } = this.dependencies;
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
    const { book, own } = this.dependencies;
    const source = session.connection.remote.host;
    if (book.merge([...lists.peers, ...lists.peers6], source, senderTime, own.seconds)) return true;
    session.close(closeReasons.futurePeerList);
    return false;
  }

  /** Adds an outgoing peer that responded to the white list. */
  private noteReached(session: Session, isProven = false): void {
    if (session.incoming) return;
    const { book, own } = this.dependencies;
    book.addWhite({
      ...session.connection.remote,
      id: session.peerId,
      lastSeen: own.seconds,
      ...(isProven && { isProven }),
    });
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
