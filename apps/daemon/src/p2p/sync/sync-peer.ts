import type { CloseReason } from '../penalties/close-reasons';
import type { PlanEntry } from './plan';

/** What the synchronisation needs of a session. */
export interface SyncSession {
  readonly id: number;
  readonly name: string;
  /** When bytes last came from the peer, milliseconds. */
  readonly lastHeard: number;
  /** The peer's tip index + 1, as it last said. */
  remoteHeight: number;
  askChain(hashes: readonly Buffer[]): void;
  askObjects(hashes: readonly Buffer[]): void;
  close(reason: CloseReason): void;
}

/** Blocks that a peer was asked for; `left` holds what has not come, by hash. */
export interface ObjectsRequest {
  readonly left: Map<string, PlanEntry>;
  readonly count: number;
  readonly askedAt: number;
}

/** A session while we synchronise from it. */
export class SyncPeer {
  /** When the chain was asked for; undefined when no answer is awaited. */
  chainAskedAt: number | undefined;
  objects: ObjectsRequest | undefined;
  /** The height of the last hash that it sent. */
  lastResponseHeight = 0;
  /** That hash. */
  tail: Buffer | undefined;
  /** Its chain shares nothing with the present plan: it is asked again when that is done. */
  waiting = false;
  orphans = 0;
  failures = 0;
  /** Chain entries in a row that brought nothing. */
  emptyEntries = 0;
  /** Since when an answer is on its way that is no longer wanted. */
  discardSince: number | undefined;

  constructor(readonly session: SyncSession) {}

  get id(): number {
    return this.session.id;
  }

  /** Whether it has sent the hashes of all blocks that it claims to have. */
  get hasSentAllHashes(): boolean {
    return this.lastResponseHeight + 1 >= this.session.remoteHeight;
  }

  /** Forgets the hashes that it sent; it has to be asked for its chain again. */
  restart(): void {
    this.tail = undefined;
    this.lastResponseHeight = 0;
    this.waiting = false;
    if (this.objects !== undefined) this.discardSince = this.objects.askedAt;
    this.objects = undefined;
  }
}
