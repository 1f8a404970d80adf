import type { ChainPort, P2pLogger } from '../ports';
import { Branch, type BranchEvents } from './branch';
import type { ChainEntryVerdict } from './chain-entry';
import type { SyncPeer } from './sync-peer';

/** The branches that are being fetched: no more than there are places. */
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
