import { SYNC_PATIENCE } from '../constants';
import type { P2pClock } from '../ports';
import { BatchHistory, type BatchOptions, BatchSize } from './batch-size';
import type { Branch } from './branch';
import type { SyncPlaces } from './places';
import type { PlanEntry } from './plan';
import type { ReceivedBlock } from './receive-objects';
import type { SyncPeer, SyncSession } from './sync-peer';

/**
 * Arrived and expected blocks of all branches together, in equal parts; more is asked for only when the head of a plan is
 * missing.
 */
const HELD_BYTES = 96 * 1024 * 1024;

/** Which blocks are asked of whom, and where they go when they come. */
export class Downloads {
  private readonly history: BatchHistory;
  /** Outlives a peer's place, so that what failed once is not asked for again in the same size. */
  private readonly batches = new WeakMap<SyncSession, BatchSize>();

  constructor(
    private readonly options: BatchOptions,
    private readonly places: SyncPlaces,
    private readonly branches: () => readonly Branch[],
    private readonly clock: Pick<P2pClock, 'now'>,
  ) {
    this.history = new BatchHistory(options);
  }

  batchOf(session: SyncSession): BatchSize {
    const batch = this.batches.get(session) ?? new BatchSize(this.options, this.history);
    this.batches.set(session, batch);
    return batch;
  }

  /** Blocks that one peer is asked for at a time, on the average. */
  get averageBatchSize(): number {
    const counts = this.places.holders().map((peer) => peer.batch.count);
    if (counts.length === 0) return new BatchSize(this.options, this.history).count;
    return Math.round(counts.reduce((sum, count) => sum + count, 0) / counts.length);
  }

  /** Asks a peer for its next batch; true when it has something to do. */
  ask(peer: SyncPeer, branch: Branch): boolean {
    const { plan } = branch;
    const { count } = peer.batch;
    if (this.isFull(branch, count)) {
      const missing = plan.firstMissing();
      if (missing?.state !== 'wanted' || !missing.offers.has(peer.id)) return plan.wantedFrom(peer.id) > 0;
    }
    let entries = plan.request(peer.id, count);
    if (entries.length === 0) entries = this.overdue(peer, branch);
    if (entries.length === 0) return false;
    const left = new Map(entries.map((entry) => [entry.key, entry]));
    peer.objects = { branch, left, count: entries.length, askedAt: this.clock.now() };
    peer.session.askObjects(entries.map((entry) => entry.hash));
    return true;
  }

  /**
   * Gives blocks to every branch that waits for them: a late answer may serve another branch than it was asked for. Returns
   * how many were needed.
   */
  take(peer: SyncPeer, blocks: readonly ReceivedBlock[], milliseconds: number): number {
    const bytes = blocks.reduce((sum, block) => sum + block.bytes, 0);
    const needed = blocks.filter((block) => {
      const takers = this.branches().filter(({ plan }) => {
        const entry = plan.get(block.entry.hash);
        if (entry?.previous.equals(block.entry.previous) !== true) return false;
        return plan.receive(entry, peer.id, block.raw, block.bytes);
      });
      return takers.length > 0;
    });
    peer.batch.note(blocks.length, bytes, milliseconds);
    return needed.length;
  }

  private isFull(branch: Branch, count: number): boolean {
    const requests = this.places.all().flatMap(({ objects }) => (objects?.branch === branch ? [objects] : []));
    const expected = requests.reduce((sum, request) => sum + request.count, count);
    return branch.plan.heldBytes + this.history.estimate(expected) > HELD_BYTES / this.branches().length;
  }

  /** What a slow peer holds up at the head of the plan, if this peer, which has nothing else to do, can serve it. */
  private overdue(peer: SyncPeer, { plan }: Branch): PlanEntry[] {
    const head = plan.firstMissing();
    const slow = head?.peer === undefined || head.state !== 'requested' ? undefined : this.places.find(head.peer);
    if (slow?.objects === undefined || slow === peer) return [];
    if (this.clock.now() - slow.objects.askedAt < SYNC_PATIENCE) return [];
    return plan.takeOver(peer.id, slow.objects.left.values());
  }
}
