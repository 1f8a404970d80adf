import { REORGANISATION_DEPTH } from '@wrkz/core-types';
import { ALTERNATIVE_LEAVES, ALTERNATIVE_LENGTH } from './limits';

/** A block of a side branch. Hashes are hex: they are map keys. */
export interface AlternativeNode {
  readonly hash: string;
  readonly parent: string;
  readonly height: number;
  readonly cumulativeDifficulty: bigint;
}

interface Branch {
  readonly leaf: AlternativeNode;
  /** From the block right above the main chain to the leaf. */
  readonly path: readonly AlternativeNode[];
}

/**
 * The side branches, linked by hash: a parent that is not in the tree is on the main chain. The tree stores only links and work;
 * the blocks are on disk. Changes of the main chain leave the links valid: they name blocks and not heights.
 */
export class AlternativeTree {
  private readonly blocks = new Map<string, AlternativeNode>();
  /** How many children a block of the tree has; a leaf has none. */
  private readonly children = new Map<string, number>();

  get size(): number {
    return this.blocks.size;
  }

  get(hash: string): AlternativeNode | undefined {
    return this.blocks.get(hash);
  }

  add(block: AlternativeNode): void {
    if (this.blocks.has(block.hash)) return;
    this.blocks.set(block.hash, block);
    this.children.set(block.parent, (this.children.get(block.parent) ?? 0) + 1);
  }

  remove(hash: string): void {
    const block = this.blocks.get(hash);
    if (block === undefined) return;
    this.blocks.delete(hash);
    const siblings = (this.children.get(block.parent) ?? 1) - 1;
    if (siblings === 0) this.children.delete(block.parent);
    else this.children.set(block.parent, siblings);
  }

  /** The blocks from right above the main chain up to `hash`; empty when `hash` is not in the tree. */
  path(hash: string): AlternativeNode[] {
    const path: AlternativeNode[] = [];
    for (let block = this.blocks.get(hash); block !== undefined; block = this.blocks.get(block.parent))
      path.push(block);
    return path.reverse();
  }

  /**
   * The blocks beyond the limits (docs/protocol/blocks.md#reorganisation): branches that fork too far below `mainHeight` or
   * have no parent; of the others the lightest beyond the leaf limit, and blocks beyond the length limit. The heaviest branch
   * and the branch that grew last (`grown`) are exempt: a branch must be able to grow until it wins.
   * @param isOnMainChain whether the block of this hash is on the main chain at this height
   * @param depth how far below the tip a branch may leave the main chain
   */
  excess(
    mainHeight: number,
    isOnMainChain: (hash: string, height: number) => boolean,
    grown?: string,
    depth = REORGANISATION_DEPTH,
  ): string[] {
    const live = this.branches().filter(({ path }) => {
      const first = path[0];
      return (
        first !== undefined && mainHeight - (first.height - 1) <= depth && isOnMainChain(first.parent, first.height - 1)
      );
    });
    // Heaviest first; of two equals the one whose tip came earlier, as with the main chain itself.
    live.sort((a, b) => compareWeight(b.leaf, a.leaf));
    const staying = new Set<string>();
    let leaves = 0;
    live.forEach(({ leaf, path }, rank) => {
      const exempt = rank === 0 || leaf.hash === grown;
      if (!exempt && ++leaves > ALTERNATIVE_LEAVES) return;
      const kept = exempt ? path : path.slice(0, ALTERNATIVE_LENGTH);
      for (const block of kept) staying.add(block.hash);
    });
    return [...this.blocks.keys()].filter((hash) => !staying.has(hash));
  }

  private branches(): Branch[] {
    return [...this.blocks.values()]
      .filter((block) => !this.children.has(block.hash))
      .map((leaf) => ({ leaf, path: this.path(leaf.hash) }));
  }
}

function compareWeight(a: AlternativeNode, b: AlternativeNode): number {
  if (a.cumulativeDifficulty === b.cumulativeDifficulty) return 0;
  return a.cumulativeDifficulty < b.cumulativeDifficulty ? -1 : 1;
}
