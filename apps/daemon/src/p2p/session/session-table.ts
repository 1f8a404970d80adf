import { CAPABILITY_PRUNED } from '../constants';
import { addressKey, type PeerAddress } from '../addresses';
import type { Session } from './session';

/** One connection, for operators. `since` in seconds since 1970. */
export interface PeerInfo {
  readonly address: string;
  readonly incoming: boolean;
  readonly state: string;
  readonly height: number;
  readonly version: number;
  readonly since: number;
  readonly peerId: bigint;
  /** It stores the newest blocks only. */
  readonly pruned: boolean;
}

/** The sessions that exist, from the open socket to its end. */
export class SessionTable {
  private readonly sessions = new Map<number, Session>();
  private nextId = 1;

  takeId(): number {
    return this.nextId++;
  }

  add(session: Session): void {
    this.sessions.set(session.id, session);
  }

  /** False when it was not there. */
  remove(session: Session): boolean {
    return this.sessions.delete(session.id);
  }

  get(id: number): Session | undefined {
    return this.sessions.get(id);
  }

  get size(): number {
    return this.sessions.size;
  }

  /** The open ones; a copy, so that a handler may close sessions while it goes through them. */
  open(): Session[] {
    return [...this.sessions.values()].filter((session) => session.isOpen);
  }

  handshaken(): Session[] {
    return this.open().filter((session) => session.handshaken);
  }

  /** The endpoints of those that we called. */
  outgoing(): PeerAddress[] {
    return this.open().flatMap((session) => (session.incoming ? [] : [session.connection.remote]));
  }

  /** The peers that we have called and shaken hands with. */
  called(): PeerAddress[] {
    return this.handshaken().flatMap((session) => (session.incoming ? [] : [session.connection.remote]));
  }

  counts(): { outgoing: number; incoming: number } {
    const handshaken = this.handshaken();
    const incoming = handshaken.filter((session) => session.incoming).length;
    return { outgoing: handshaken.length - incoming, incoming };
  }

  /** The open ones as operators see them. */
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
