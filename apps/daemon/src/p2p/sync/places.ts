import { SYNC_PATIENCE } from '../constants';
import { rankOf } from './standing';
import type { SyncPeer, SyncSession } from './sync-peer';

/**
 * The places of those whom we synchronise from. Who loses its place may still owe us an answer: it is remembered as late
 * until that has come, so that the answer is understood, and has no place before.
 */
export class SyncPlaces {
  private readonly placed = new Map<number, SyncPeer>();
  private readonly late = new Map<number, SyncPeer>();

  constructor(
    private readonly limit: number,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.placed.size;
  }

  get isFull(): boolean {
    return this.placed.size >= this.limit;
  }

  /** The peers that have a place; a copy, for a handler may end some of them. */
  holders(): SyncPeer[] {
    return [...this.placed.values()];
  }

  /** All who owe us something or have a place. */
  all(): SyncPeer[] {
    return [...this.placed.values(), ...this.late.values()];
  }

  /** With a place or late. */
  find(id: number): SyncPeer | undefined {
    return this.placed.get(id) ?? this.late.get(id);
  }

  has(id: number): boolean {
    return this.placed.has(id);
  }

  isLate(id: number): boolean {
    return this.late.has(id);
  }

  take(peer: SyncPeer): void {
    peer.session.standing.triedAt = this.now();
    this.placed.set(peer.id, peer);
  }

  /** Takes a peer's place away. */
  release(peer: SyncPeer): void {
    if (this.placed.delete(peer.id) && peer.owesSince !== undefined) this.late.set(peer.id, peer);
  }

  /** An answer has come: who owes nothing more is late no longer. */
  settle(peer: SyncPeer): boolean {
    return peer.owesSince === undefined && this.late.delete(peer.id);
  }

  /** The session is closed. */
  remove(id: number): { readonly peer: SyncPeer; readonly hadPlace: boolean } | undefined {
    const peer = this.find(id);
    if (peer === undefined) return undefined;
    this.late.delete(id);
    return { peer, hadPlace: this.placed.delete(id) };
  }

  clear(): void {
    this.placed.clear();
    this.late.clear();
  }

  /** Whether a peer owes us an answer for so long that it has to give way to one that waits. */
  isOverdue(peer: SyncPeer): boolean {
    return peer.owesSince !== undefined && this.now() - peer.owesSince >= SYNC_PATIENCE;
  }

  /** Who gives way first, and its rank. */
  weakest(): { readonly session: SyncSession; readonly rank: number } | undefined {
    const ranked = this.holders().map((peer) => ({
      session: peer.session,
      rank: rankOf(peer.session, this.isOverdue(peer)),
    }));
    return ranked.sort((a, b) => b.rank - a.rank)[0];
  }
}
