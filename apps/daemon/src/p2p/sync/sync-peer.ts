import { SYNC_MIN_PATIENCE, SYNC_PATIENCE, SYNC_REQUEST_LIMIT, SYNC_STALL_TIMEOUT } from '../constants';
import type { PeerConnection } from '../connection/peer-connection';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { Session } from '../session/session';
import type { BatchSize } from './batch-size';
import type { PlanEntry } from './chain-plan';

/** A peer is also used for blocks requested from another one after this multiple of the time in which it would deliver them. */
const TAKE_OVER_FACTOR = 4;

/** The part of a session that the synchronisation uses. */
export type SyncSession = Pick<
  Session,
  'id' | 'name' | 'incoming' | 'record' | 'remoteHeight' | 'claim' | 'requestChain' | 'requestObjects' | 'close'
> & { readonly connection: Pick<PeerConnection, 'lastReceivedAt' | 'progressAt'> };

/** The synchronisation state of one peer, for operators. */
export interface SyncShare {
  /** Whether the peer has a slot; otherwise it only has an open request. */
  readonly active: boolean;
  /** Blocks of the next request. */
  readonly batch: number;
  /** Blocks that it has delivered and that were needed. */
  readonly delivered: number;
  readonly failures: number;
}

/** Blocks that were requested from a peer; `left` holds the blocks that have not arrived, by hash. */
export interface ObjectsRequest {
  readonly left: Map<string, PlanEntry>;
  readonly count: number;
  readonly requestedAt: number;
}

/**
 * A session that has a sync slot. Without its slot it remains known until the response to its open request has come: that
 * response is expected and used, and the session gets no new slot before.
 */
export class SyncPeer {
  hasSlot = true;
  /** When the chain was requested; undefined when no response is awaited. */
  chainRequestedAt: number | undefined;
  objects: ObjectsRequest | undefined;
  /** The height of the last hash that it sent. */
  lastResponseHeight = 0;
  /** That hash. */
  tail: Buffer | undefined;
  /** Blocks that it has delivered and that were needed. */
  delivered = 0;
  /** Whether the peer has delivered blocks of the chain that it announces now. */
  shows = false;
  orphans = 0;
  failures = 0;
  /** Of its last response with blocks; Infinity before the first one. */
  millisecondsPerBlock = Infinity;
  /** Chain entries in a row without a hash above those that it sent before. */
  emptyEntries = 0;

  constructor(
    readonly session: SyncSession,
    readonly batch: BatchSize,
  ) {}

  get id(): number {
    return this.session.id;
  }

  /** When its oldest request without a response was sent. */
  get requestedAt(): number | undefined {
    const { objects, chainRequestedAt } = this;
    if (objects === undefined || chainRequestedAt === undefined) return objects?.requestedAt ?? chainRequestedAt;
    return Math.min(objects.requestedAt, chainRequestedAt);
  }

  /** Whether it has sent the hashes of all blocks that it claims to have. */
  get hasSentAllHashes(): boolean {
    return this.lastResponseHeight + 1 >= this.session.remoteHeight;
  }

  /** Whether a response is so late that a waiting peer gets the slot. */
  isOverdue(now: number): boolean {
    return this.requestedAt !== undefined && now - this.requestedAt >= SYNC_PATIENCE;
  }

  /** Milliseconds after which this peer is used for `blocks` blocks that were requested from another one. */
  patienceFor(blocks: number): number {
    const scaled = TAKE_OVER_FACTOR * blocks * this.millisecondsPerBlock;
    return Math.min(SYNC_PATIENCE, Math.max(SYNC_MIN_PATIENCE, scaled));
  }

  /** Its chain has to be requested again. */
  restart(): void {
    this.shows = false;
    this.tail = undefined;
    this.lastResponseHeight = 0;
  }
}

/** Whether a response is so late that the claim of the peer is ignored. A peer that has served blocks has more time. */
export function isUnserved({ requestedAt, session }: SyncPeer, now: number): boolean {
  const patience = session.record.served ? SYNC_STALL_TIMEOUT : SYNC_PATIENCE;
  return requestedAt !== undefined && now - requestedAt >= patience;
}

/** Why the connection to a peer with an open request has to end; `undefined` while the response may still come. */
export function stallReason({ requestedAt, session, objects }: SyncPeer, now: number): CloseReason | undefined {
  if (requestedAt === undefined) return undefined;
  const grownAt = Math.max(requestedAt, session.connection.progressAt ?? requestedAt);
  if (now - grownAt <= SYNC_STALL_TIMEOUT && now - requestedAt <= SYNC_REQUEST_LIMIT) return undefined;
  // No bytes since the chain request: the connection may be dead. A peer that named blocks, or sends others, is at fault.
  const isDead = objects === undefined && session.connection.lastReceivedAt <= requestedAt;
  return isDead ? closeReasons.syncStalled : closeReasons.claimUnserved;
}
