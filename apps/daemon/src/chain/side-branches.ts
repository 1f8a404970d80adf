import { BelowFloor, CorruptDatabase } from '@wrkz/chain-db';
import { type BlockFacts, BranchView, RuleFailure, runProofs, type VerifiedBlock, verifyBlock } from '@wrkz/consensus';
import { type AlternativeNode, AlternativeTree } from './alternative-tree';
import { removedBlock } from './commit-events';
import { DecodeError, REORGANISATION_DEPTH } from '@wrkz/core-types';
import { readCandidate, type CandidateBlock } from './candidate-block';
import { type AddBlockResult, refused, verdict } from './results';
import type { RemovedBlock } from './service';
import { spentAgainAt } from './spent-again';
import type { ChainState } from './state';

/** Branches in memory: a growing branch is not read again for each block. */
const OPEN_BRANCHES = 4;
/** Blocks of all branches in memory, unless one branch alone has more. */
const OPEN_BLOCKS = 1000;

/** A side branch in memory: every block of it verified on its own ancestors. */
interface OpenBranch {
  /** Index of the highest block that it shares with the main chain. */
  readonly fork: number;
  readonly view: BranchView;
  readonly blocks: VerifiedBlock[];
}

/** A reorganisation that was done. */
export interface Switch {
  readonly fork: number;
  readonly forkHash: Buffer;
  readonly added: readonly VerifiedBlock[];
  readonly removed: readonly RemovedBlock[];
}

export interface SideResult {
  readonly result: AddBlockResult;
  /** The block is stored on a side branch. */
  readonly kept?: VerifiedBlock;
  readonly switched?: Switch;
  /** The branch is not followed: it leaves the main chain too far below the tip, or below the stored block data. */
  readonly refusedSwitch?: RefusedSwitch;
}

/** A reorganisation that was not done. */
export interface RefusedSwitch {
  /** Index of the highest block that would have stayed. */
  readonly fork: number;
  /** The tip that it would have had. */
  readonly height: number;
  readonly hash: Buffer;
  /** The reason, for the operator. */
  readonly reason: string;
  /** Work of the branch up to this block. Later blocks of a branch that is too deep are never verified. */
  readonly cumulativeDifficulty: bigint;
  /** What the operator runs to follow the branch. */
  readonly remedy: string;
}

/** Blocks that do not extend the main chain: verified on arrival, stored, and followed when their branch has more work. */
export class SideBranches {
  private readonly tree = new AlternativeTree();
  /** By the hash of the tip, most recently used last. */
  private readonly open = new Map<string, OpenBranch>();

  constructor(private readonly state: ChainState) {
    for (const block of state.reader.alternatives()) this.tree.add(node(block.facts.hash, block.parent, block.facts));
    this.prune();
  }

  get size(): number {
    return this.tree.size;
  }

  /** The height of a block on a side branch. */
  heightOf(hash: Buffer): number | undefined {
    return this.tree.get(hash.toString('hex'))?.height;
  }

  /** Verifies a block whose parent is on a side branch or below the tip of the main chain. */
  async add(candidate: CandidateBlock): Promise<SideResult> {
    const { block } = candidate;
    const hash = block.hash;
    const branch = await this.openBranch(block.block.previousHash);
    if (branch === undefined) return { result: verdict('REJECTED_AS_ORPHANED', hash) };
    const staged = this.state.stage(candidate, branch.view, this.state.tip.medianSize);
    const judged = verifyBlock(staged, await runProofs(staged.proofs));
    if (judged instanceof RuleFailure) return { result: refused(judged, hash) };
    const { tip, writer } = this.state;
    const { height, cumulativeDifficulty } = judged.facts;
    // Checked last, like the reference: until here a deep block is like any other
    // (docs/protocol/blocks.md#reorganisation).
    const depth = tip.height - branch.fork;
    if (depth > this.depth()) {
      return {
        result: verdict('REJECTED_AS_ORPHANED', hash),
        refusedSwitch: {
          fork: branch.fork,
          height,
          hash,
          cumulativeDifficulty,
          reason: `It would replace ${depth} blocks; at most ${this.depth()} can be replaced`,
          remedy: `start the node once with --rewind-to-height ${branch.fork + 1}`,
        },
      };
    }
    this.open.delete(block.block.previousHash.toString('hex'));
    branch.view.push(judged);
    branch.blocks.push(judged);
    // A branch with the block of a checkpoint is followed even if it has less work than a false main chain.
    if (cumulativeDifficulty > tip.cumulativeDifficulty || this.state.checkpoints.at(height) !== undefined) {
      return this.followOrRefuse(branch, judged.facts);
    }
    writer.putAlternative(judged);
    this.tree.add(node(hash, block.block.previousHash, judged.facts));
    this.remember(hash, branch);
    this.prune(hash.toString('hex'));
    return { result: verdict('ADDED_TO_ALTERNATIVE', hash, height), kept: judged };
  }

  /** Call it after the main chain grew: its blocks leave the tree, and old branches are pruned. */
  onAppend(added: readonly VerifiedBlock[]): void {
    if (this.tree.size === 0) return;
    const moved = added.filter(({ facts }) => this.heightOf(facts.hash) !== undefined).map(({ facts }) => facts.hash);
    this.drop(moved);
    this.prune();
  }

  /** Call it after a rewind: drops the branches that leave a removed block. */
  onRewind(): void {
    this.prune();
  }

  /**
   * In the checkpoint zone no rule looks key images up; the table of key images refuses a double spend (see MainLine).
   */
  private followOrRefuse(branch: OpenBranch, { hash, height, cumulativeDifficulty }: BlockFacts): SideResult {
    try {
      return { result: verdict('ADDED_TO_ALTERNATIVE_AND_SWITCHED', hash, height), switched: this.follow(branch) };
    } catch (error) {
      if (error instanceof BelowFloor) {
        const { fork } = branch;
        const remedy = 'start the node once with --resync';
        return {
          result: verdict('REJECTED_AS_ORPHANED', hash),
          refusedSwitch: { fork, height, hash, cumulativeDifficulty, reason: error.message, remedy },
        };
      }
      if (spentAgainAt(error, branch.blocks) === undefined) throw error;
      return { result: refused(new RuleFailure('INPUT_KEYIMAGE_ALREADY_SPENT'), hash) };
    }
  }

  private follow(branch: OpenBranch): Switch {
    const { reader, writer, checkpoints } = this.state;
    const lost = writer.switchBranch(branch.fork, branch.blocks, true);
    for (const { facts } of branch.blocks) this.tree.remove(facts.hash.toString('hex'));
    const forkHash = reader.hashAt(branch.fork);
    if (forkHash === undefined) throw new CorruptDatabase(`block ${branch.fork} has no row`);
    let parent = forkHash;
    for (const { facts, raw } of lost) {
      // Without its bytes a block is not stored, and neither are its children.
      if (raw === undefined) break;
      this.tree.add(node(facts.hash, parent, facts));
      parent = facts.hash;
    }
    this.open.clear();
    this.state.refreshTip(this.tree.size);
    this.prune();
    const removed = lost.map((block) => removedBlock(block, checkpoints));
    return { fork: branch.fork, forkHash, added: branch.blocks, removed };
  }

  /** The branch with this tip, verified again when it was only on disk. */
  private async openBranch(tip: Buffer): Promise<OpenBranch | undefined> {
    const id = tip.toString('hex');
    const known = this.open.get(id);
    if (known !== undefined) return known;
    const path = this.tree.path(id);
    const root = path[0] === undefined ? tip : Buffer.from(path[0].parent, 'hex');
    const fork = this.state.reader.heightOf(root);
    if (fork === undefined) return undefined;
    const branch: OpenBranch = { fork, view: new BranchView(this.state.viewAt(fork)), blocks: [] };
    for (const block of path) {
      if (!(await this.reopen(branch, block))) return undefined;
    }
    return branch;
  }

  /** Blocks that are read back are verified again before they join the chain. */
  private async reopen(branch: OpenBranch, { hash }: AlternativeNode): Promise<boolean> {
    const candidate = this.stored(Buffer.from(hash, 'hex'));
    if (candidate !== undefined) {
      const staged = this.state.stage(candidate, branch.view, Infinity);
      const judged = verifyBlock(staged, await runProofs(staged.proofs));
      if (!(judged instanceof RuleFailure)) {
        branch.view.push(judged);
        branch.blocks.push(judged);
        return true;
      }
    }
    this.drop([Buffer.from(hash, 'hex')]);
    this.prune();
    return false;
  }

  private stored(hash: Buffer): CandidateBlock | undefined {
    try {
      const stored = this.state.reader.alternative(hash);
      return stored === undefined ? undefined : readCandidate(stored.raw);
    } catch (error) {
      const unreadable = `side block ${hash.toString('hex')} cannot be read`;
      const damage = error instanceof DecodeError ? new CorruptDatabase(`${unreadable}: ${error.message}`) : error;
      if (!(damage instanceof CorruptDatabase)) throw error;
      this.state.onDamage(damage);
      return undefined;
    }
  }

  private remember(tip: Buffer, branch: OpenBranch): void {
    this.open.set(tip.toString('hex'), branch);
    let blocks = 0;
    for (const { blocks: own } of this.open.values()) blocks += own.length;
    for (const [id, oldest] of this.open) {
      if (oldest === branch || (this.open.size <= OPEN_BRANCHES && blocks <= OPEN_BLOCKS)) break;
      blocks -= oldest.blocks.length;
      this.open.delete(id);
    }
  }

  private prune(grown?: string): void {
    const { reader, tip } = this.state;
    const isOnMainChain = (hash: string, height: number): boolean =>
      reader.heightOf(Buffer.from(hash, 'hex')) === height;
    const excess = this.tree.excess(tip.height, isOnMainChain, grown, this.depth());
    this.drop(excess.map((hash) => Buffer.from(hash, 'hex')));
  }

  /**
   * How far below the tip a branch may leave the main chain. In the checkpoint zone blocks above the last checkpoint cost no
   * work and prove nothing yet: a branch from there on must be able to replace them. Checkpoints are 1000 blocks apart.
   */
  private depth(): number {
    const { tip, checkpoints } = this.state;
    if (tip.height >= checkpoints.highest) return REORGANISATION_DEPTH;
    return Math.max(REORGANISATION_DEPTH, tip.height - checkpoints.lastUpTo(tip.height));
  }

  private drop(hashes: readonly Buffer[]): void {
    if (hashes.length === 0) return;
    this.state.writer.dropAlternatives(hashes);
    for (const hash of hashes) {
      this.tree.remove(hash.toString('hex'));
      this.open.delete(hash.toString('hex'));
    }
  }
}

function node(hash: Buffer, parent: Buffer, facts: { height: number; cumulativeDifficulty: bigint }): AlternativeNode {
  const { height, cumulativeDifficulty } = facts;
  return { hash: hash.toString('hex'), parent: parent.toString('hex'), height, cumulativeDifficulty };
}
