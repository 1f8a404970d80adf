import { CAPABILITY_PRUNED } from '../constants';
import { addressKey, type PeerAddress } from '../addresses';
import type { Session } from './session';

/** Information about a connection for the operator. `since` in seconds since 1970. */
export interface PeerInfo {
  readonly address: string;
  readonly incoming: boolean;
  readonly state: string;
  readonly height: number;
  readonly version: number;
  readonly since: number;
  readonly peerId: bigint;
  /** Whether the peer only stores the newest blocks. */
  readonly pruned: boolean;
}

/** All sessions, from the opened to the closed socket. */
export class SessionTable {
  private readonly sessions = new Map<number, Session>();
  private nextId = 1;

  takeId(): number {
    return this.nextId++;
  }

  add(session: Session): void {
    this.sessions.set(session.id, session);
  }

  /** @returns false if the session was not in the table */
  remove(session: Session): boolean {
    return this.sessions.delete(session.id);
  }

  get(id: number): Session | undefined {
    return this.sessions.get(id);
  }

  get size(): number {
    return this.sessions.size;
  }

  /** The open sessions. A copy, so that sessions may be closed during iteration. */
  open(): Session[] {
    return [...this.sessions.values()].filter((session) => session.isOpen);
  }

  handshaken(): Session[] {
    return this.open().filter((session) => session.handshaken);
  }

  /** The endpoints of outgoing sessions. */
  outgoing(): PeerAddress[] {
    return this.open().flatMap((session) => (session.incoming ? [] : [session.connection.remote]));
  }

  /** The outgoing peers with a completed handshake. */
  called(): PeerAddress[] {
    return this.handshaken().flatMap((session) => (session.incoming ? [] : [session.connection.remote]));
  }

  counts(): { outgoing: number; incoming: number } {
    const handshaken = this.handshaken();
    const incoming = handshaken.filter((session) => session.incoming).length;
    return { outgoing: handshaken.length - incoming, incoming };
  }

  /** The open sessions as information for the operator. */
  list(): (PeerInfo & { readonly id: number })[] {
    return this.open().map((session) => ({
      id: session.id,
      address: addressKey(session.connection.remote),
      incoming: session.incoming,
      state: session.state,
      height: session.remoteHeight,
      version: session.version,
      since: Math.floor(session.connectedAt / 1000),
      peerId: session.peerId,
      pruned: ((session.syncData?.capabilityFlags ?? 0) & CAPABILITY_PRUNED) !== 0,
    }));
  }
}
