import { SYNC_PATIENCE, SYNC_REQUEST_LIMIT, SYNC_STALL_TIMEOUT } from '../constants';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { BatchSize } from './batch-size';
import type { Branch } from './branch';
import type { PlanEntry } from './download-plan';

/** How a peer has done when blocks were fetched from it. */
export interface SyncRecord {
  /** It claims blocks and did not deliver them on request: its claims do not count until it has delivered some. */
  unserved: boolean;
  /** It has brought blocks. */
  served: boolean;
  /** Its last answer was a slow one. */
  slow: boolean;
  /** Synchronisations in a row that ended without the claimed tip and without a block. */
  fruitless: number;
  /** When it last got a slot, monotonic milliseconds; 0 for never. */
  triedAt: number;
}

export function newSyncRecord(): SyncRecord {
  return { unserved: false, served: false, slow: false, fruitless: 0, triedAt: 0 };
}

/**
 * The order in which peers get sync slots, lowest first: peers that deliver what they claim, then fast ones, then outgoing
 * ones. `overdue`: it has a slot and has not delivered requested blocks for too long.
 */
export function rankOf(peer: { readonly incoming: boolean; readonly record: SyncRecord }, overdue = false): number {
  const { unserved, slow } = peer.record;
  return (overdue ? 8 : 0) + (unserved ? 4 : 0) + (slow ? 2 : 0) + (peer.incoming ? 1 : 0);
}

/** What a peer says of its chain: the height is a count, tip index + 1. */
export interface ChainClaim {
  readonly height: number;
  readonly tip: Buffer;
}

/** What the synchronisation needs of a session. */
export interface SyncSession {
  readonly id: number;
  readonly name: string;
  readonly incoming: boolean;
  /** When bytes last came from the peer, milliseconds. */
  readonly lastHeard: number;
  /** When a large answer that is on its way last grew by a good piece; undefined when none is. */
  readonly progressAt: number | undefined;
  readonly record: SyncRecord;
  /** The peer's tip index + 1, as it last said. */
  remoteHeight: number;
  claim: ChainClaim | undefined;
  requestChain(hashes: readonly Buffer[]): void;
  requestObjects(hashes: readonly Buffer[]): void;
  close(reason: CloseReason): void;
}

/** One peer's part in the synchronisation, for operators. */
export interface SyncShare {
  /** It has a slot; else it only has an open request. */
  readonly active: boolean;
  /** Blocks of the next request. */
  readonly batch: number;
  /** Blocks that it has brought and that were needed. */
  readonly delivered: number;
  readonly failures: number;
}

/** Blocks of a branch that were requested from a peer; `left` holds what has not come, by hash. */
export interface ObjectsRequest {
  readonly branch: Branch;
  readonly left: Map<string, PlanEntry>;
  readonly count: number;
  readonly requestedAt: number;
}

/** A session while we synchronise from it, and for as long after that as it owes us an answer. */
export class SyncPeer {
  /** The branch that it is part of, once it has announced its chain. */
  branch: Branch | undefined;
  /** Its chain leaves the branch: it is requested again when the branch has passed the fork. */
  diverged = false;
  /** When the chain was requested; undefined when no response is awaited. */
  chainRequestedAt: number | undefined;
  objects: ObjectsRequest | undefined;
  /** The height of the last hash that it sent. */
  lastResponseHeight = 0;
  /** That hash. */
  tail: Buffer | undefined;
  /** Blocks that it has brought and that were needed. */
  delivered = 0;
  /** It has brought blocks of the chain that it names now. */
  shows = false;
  orphans = 0;
  failures = 0;
  /** Chain entries in a row that brought nothing. */
  emptyEntries = 0;

  constructor(
    readonly session: SyncSession,
    readonly batch: BatchSize,
  ) {}

  get id(): number {
    return this.session.id;
  }

  /** Since when it owes us an answer. */
  get owesSince(): number | undefined {
    const { objects, chainRequestedAt } = this;
    if (objects === undefined || chainRequestedAt === undefined) return objects?.requestedAt ?? chainRequestedAt;
    return Math.min(objects.requestedAt, chainRequestedAt);
  }

  /** Whether it has sent the hashes of all blocks that it claims to have. */
  get hasSentAllHashes(): boolean {
    return this.lastResponseHeight + 1 >= this.session.remoteHeight;
  }

  /** Leaves its branch and forgets the hashes that it sent; its chain has to be requested again. */
  restart(): void {
    this.branch?.plan.withdraw(this.id);
    this.branch = undefined;
    this.diverged = false;
    this.shows = false;
    this.tail = undefined;
    this.lastResponseHeight = 0;
  }
}

/**
 * The slots of the peers that we synchronise from. A peer that loses its slot may still have an open request: it is late
 * until the response has come, so that the response is expected, and gets no slot before.
 */
export class SyncSlots {
  private readonly holding = new Map<number, SyncPeer>();
  private readonly late = new Map<number, SyncPeer>();

  constructor(
    private readonly limit: number,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.holding.size;
  }

  get isFull(): boolean {
    return this.holding.size >= this.limit;
  }

  /** The peers that have a slot; a copy, since handlers may end some of them. */
  holders(): SyncPeer[] {
    return [...this.holding.values()];
  }

  /** All peers with a slot or an open request. */
  all(): SyncPeer[] {
    return [...this.holding.values(), ...this.late.values()];
  }

  /** A peer with a slot, or a late one. */
  find(id: number): SyncPeer | undefined {
    return this.holding.get(id) ?? this.late.get(id);
  }

  has(id: number): boolean {
    return this.holding.has(id);
  }

  isLate(id: number): boolean {
    return this.late.has(id);
  }

  take(peer: SyncPeer): void {
    peer.session.record.triedAt = this.now();
    this.holding.set(peer.id, peer);
  }

  /** Takes a peer's slot away. */
  release(peer: SyncPeer): void {
    if (this.holding.delete(peer.id) && peer.owesSince !== undefined) this.late.set(peer.id, peer);
  }

  /** A response has come: a peer without open requests is no longer late. */
  settle(peer: SyncPeer): boolean {
    return peer.owesSince === undefined && this.late.delete(peer.id);
  }

  /** The session is closed. */
  remove(id: number): { readonly peer: SyncPeer; readonly hadSlot: boolean } | undefined {
    const peer = this.find(id);
    if (peer === undefined) return undefined;
    this.late.delete(id);
    return { peer, hadSlot: this.holding.delete(id) };
  }

  clear(): void {
    this.holding.clear();
    this.late.clear();
  }

  /** Whether a peer owes us an answer for so long that it has to give way to one that waits. */
  isOverdue(peer: SyncPeer): boolean {
    return peer.owesSince !== undefined && this.now() - peer.owesSince >= SYNC_PATIENCE;
  }

  /** The peer that loses its slot first, and its rank. */
  weakest(): { readonly session: SyncSession; readonly rank: number } | undefined {
    const ranked = this.holders().map((peer) => ({
      session: peer.session,
      rank: rankOf(peer.session, this.isOverdue(peer)),
    }));
    return ranked.sort((a, b) => b.rank - a.rank)[0];
  }
}

/** Whether a response is overdue so long that the peer's claim does not count. A peer that has served blocks has more time. */
export function isUnserved({ owesSince, session }: SyncPeer, now: number): boolean {
  const patience = session.record.served ? SYNC_STALL_TIMEOUT : SYNC_PATIENCE;
  return owesSince !== undefined && now - owesSince >= patience;
}

/** Why the connection to a peer that owes us an answer ends; `undefined` while there is hope. */
export function stallReason({ owesSince, session, objects }: SyncPeer, now: number): CloseReason | undefined {
  if (owesSince === undefined) return undefined;
  const grownAt = Math.max(owesSince, session.progressAt ?? owesSince);
  if (now - grownAt <= SYNC_STALL_TIMEOUT && now - owesSince <= SYNC_REQUEST_LIMIT) return undefined;
  // No bytes since the chain request: the connection may be dead. A peer that named blocks, or sends others, is at fault.
  const isDead = objects === undefined && session.lastHeard <= owesSince;
  return isDead ? closeReasons.syncStalled : closeReasons.claimUnserved;
}
