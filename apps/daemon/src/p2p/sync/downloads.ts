import { SYNC_PATIENCE } from '../constants';
import type { ChainPort, P2pClock, P2pLogger } from '../ports';
import { BatchHistory, type BatchOptions, BatchSize } from './batch-size';
import { Branch, type BranchEvents } from './branch';
import type { ChainEntryVerdict } from './chain-entry';
import type { PlanEntry } from './download-plan';
import type { ReceivedBlock } from './receive-objects';
import type { SyncPeer, SyncSlots, SyncSession } from './sync-peer';

/** The branches that are being fetched: no more than there are slots. */
export class Branches {
  private branches: Branch[] = [];

  constructor(
    private readonly chain: Pick<ChainPort, 'addBlocks'>,
    private readonly logger: P2pLogger,
    private readonly events: BranchEvents,
  ) {}

  get all(): readonly Branch[] {
    return this.branches;
  }

  /** Puts a peer's chain into the branch that it continues, else into one that it shares, else into a new one. */
  enter(peer: SyncPeer, { anchor, anchorHeight, hashes }: ChainEntryVerdict & { kind: 'new' }): void {
    const present = peer.branch;
    for (const branch of present === undefined ? this.branches : [present]) {
      const outcome = branch.plan.merge(peer.id, anchor, anchorHeight, hashes);
      if (outcome === 'foreign' && branch !== present) continue;
      peer.branch = branch;
      peer.diverged = outcome !== 'joined';
      return;
    }
    peer.branch = new Branch(this.chain, this.logger, this.events);
    peer.branch.plan.merge(peer.id, anchor, anchorHeight, hashes);
    this.branches.push(peer.branch);
  }

  /** Gives a branch up; those of `peers` that were part of it, which are returned, have to start over. */
  drop(branch: Branch, peers: readonly SyncPeer[]): SyncPeer[] {
    branch.clear();
    this.branches = this.branches.filter((other) => other !== branch);
    const members = peers.filter((peer) => peer.branch === branch);
    for (const peer of members) peer.restart();
    return members;
  }

  /** Forgets the branches of which nothing is left to do. */
  forgetDone(peers: readonly SyncPeer[]): void {
    for (const peer of peers) if (peer.branch?.isDone === true) peer.branch = undefined;
    this.branches = this.branches.filter((branch) => !branch.isDone);
  }

  clear(): void {
    for (const branch of this.branches) branch.clear();
    this.branches = [];
  }
}

/**
 * Arrived and expected blocks of all branches together, in equal parts; more is requested only when the head of a plan is
 * missing.
 */
const HELD_BYTES = 96 * 1024 * 1024;

/** Which blocks are requested from which peer, and which branch receives them. */
export class Downloads {
  private readonly history: BatchHistory;
  /** Outlives a peer's slot, so that what failed once is not requested again in the same size. */
  private readonly batches = new WeakMap<SyncSession, BatchSize>();

  constructor(
    private readonly options: BatchOptions,
    private readonly slots: SyncSlots,
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

  /** Blocks of one request, on average. */
  get averageBatchSize(): number {
    const counts = this.slots.holders().map((peer) => peer.batch.count);
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
    peer.objects = { branch, left, count: entries.length, requestedAt: this.clock.now() };
    peer.session.requestObjects(entries.map((entry) => entry.hash));
    return true;
  }

  /**
   * Gives blocks to every branch that waits for them: a late answer may serve another branch than the request was for. Returns
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
    const requests = this.slots.all().flatMap(({ objects }) => (objects?.branch === branch ? [objects] : []));
    const expected = requests.reduce((sum, request) => sum + request.count, count);
    return branch.plan.heldBytes + this.history.estimate(expected) > HELD_BYTES / this.branches().length;
  }

  /** What a slow peer holds up at the head of the plan, if this peer, which has nothing else to do, can serve it. */
  private overdue(peer: SyncPeer, { plan }: Branch): PlanEntry[] {
    const head = plan.firstMissing();
    const slow = head?.peer === undefined || head.state !== 'requested' ? undefined : this.slots.find(head.peer);
    if (slow?.objects === undefined || slow === peer) return [];
    if (this.clock.now() - slow.objects.requestedAt < SYNC_PATIENCE) return [];
    return plan.takeOver(peer.id, slow.objects.left.values());
  }
}
