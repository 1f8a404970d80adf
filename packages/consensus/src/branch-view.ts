import type { Network, ParsedBlock, ParsedTransaction, TransactionOutput } from '@wrkz/core-types';
import { keyImageId } from './transaction-context';
import type { BlockFacts, ChainView, OutputFacts } from './view';
import { genesisBlock } from './verified-block';

/** Blocks below the branch that are cached: the longest common window. */
const RECENT_BLOCKS = 100;

/** The parts of a staged or verified block that a branch needs. */
export interface BranchBlock {
  readonly facts: BlockFacts;
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
}

/** Outputs of one amount that the branch adds: the first has the global index `first`. */
interface AddedOutputs {
  readonly first: number;
  readonly outputs: OutputFacts[];
}

/**
 * A branch that grows on top of a base: an alternative chain above its fork, or the main chain's next blocks while they
 * wait for their proofs. The base must not change; a database view bound to a height does not.
 */
export class BranchView implements ChainView {
  private base: ChainView;
  private blocks: BranchBlock[] = [];
  /** Facts of consecutive blocks up to the tip; the last ones belong to the branch. */
  private recent: BlockFacts[];
  private readonly keyImages = new Map<string, number>();
  private readonly outputs = new Map<bigint, AddedOutputs>();
  private readonly transactions = new Set<string>();

  constructor(base: ChainView) {
    this.base = base;
    this.recent = [...base.window(base.height, RECENT_BLOCKS)];
  }

  get height(): number {
    return this.base.height + this.blocks.length;
  }

  /** Index of the base's tip: blocks above it belong to the branch. */
  get baseHeight(): number {
    return this.base.height;
  }

  /**
   * Adds the next block.
   *
   * @throws RangeError if it does not follow the tip
   */
  push(block: BranchBlock): void {
    const { facts } = block;
    const parent = this.facts(this.height);
    if (facts.height !== parent.height + 1 || !block.block.block.previousHash.equals(parent.hash)) {
      throw new RangeError(`block ${facts.height} does not follow the tip of the branch, ${parent.height}`);
    }
    this.blocks.push(block);
    this.recent.push(facts);
    if (this.recent.length > 4 * RECENT_BLOCKS) this.recent = this.recent.slice(-RECENT_BLOCKS);
    this.index(block);
  }

  /**
   * Replaces the base by one that contains the lowest blocks of the branch; their data is then read from the base.
   *
   * @param base its tip must be one of the branch's blocks or the old base's tip
   */
  rebase(base: ChainView): void {
    const taken = base.height - this.base.height;
    if (taken < 0 || taken > this.blocks.length || !base.facts(base.height).hash.equals(this.facts(base.height).hash)) {
      throw new RangeError('the new base is not a part of this branch');
    }
    this.base = base;
    this.blocks = this.blocks.slice(taken);
    this.keyImages.clear();
    this.outputs.clear();
    this.transactions.clear();
    for (const block of this.blocks) this.index(block);
  }

  facts(height: number): BlockFacts {
    const found = this.recent[height - this.firstRecent];
    if (found !== undefined) return found;
    const own = this.blocks[height - this.base.height - 1];
    if (own !== undefined) return own.facts;
    if (height > this.height) throw new RangeError(`no block ${height} on a branch of height ${this.height}`);
    return this.base.facts(height);
  }

  window(end: number, count: number): readonly BlockFacts[] {
    const start = Math.max(0, end - count + 1);
    const first = this.firstRecent;
    if (start >= first) return this.recent.slice(start - first, end + 1 - first);
    const below = this.base.height;
    const inBase = start <= below ? this.base.window(Math.min(end, below), Math.min(end, below) - start + 1) : [];
    const own = this.blocks.slice(Math.max(0, start - below - 1), Math.max(0, end - below));
    return [...inBase, ...own.map((block) => block.facts)];
  }

  keyImageHeight(keyImage: Buffer): number | undefined {
    return this.keyImages.get(keyImageId(keyImage)) ?? this.base.keyImageHeight(keyImage);
  }

  output(amount: bigint, index: number): OutputFacts | undefined {
    const added = this.outputs.get(amount);
    return added !== undefined && index >= added.first
      ? added.outputs[index - added.first]
      : this.base.output(amount, index);
  }

  outputCount(amount: bigint): number {
    const added = this.outputs.get(amount);
    return added === undefined ? this.base.outputCount(amount) : added.first + added.outputs.length;
  }

  hasTransaction(hash: Buffer): boolean {
    return this.transactions.has(hash.toString('hex')) || (this.base.hasTransaction?.(hash) ?? false);
  }

  private get firstRecent(): number {
    return this.height + 1 - this.recent.length;
  }

  /** Assigns global indexes to the coinbase first, then to the transactions in their order. */
  private index({ block, transactions, facts }: BranchBlock): void {
    for (const parsed of [block.coinbase, ...transactions]) {
      const { inputs, outputs, unlockTime } = parsed.transaction;
      for (const input of inputs)
        if (input.type === 'key') this.keyImages.set(keyImageId(input.keyImage), facts.height);
      for (const output of outputs) this.addOutput(output, unlockTime, facts.height);
      this.transactions.add(parsed.hash.toString('hex'));
    }
  }

  private addOutput({ amount, key }: TransactionOutput, unlockTime: bigint, height: number): void {
    let added = this.outputs.get(amount);
    if (added === undefined) {
      added = { first: this.base.outputCount(amount), outputs: [] };
      this.outputs.set(amount, added);
    }
    added.outputs.push({ key, unlockTime, height });
  }
}

/** A chain of the genesis block only. A `BranchView` on top of it is a whole chain in memory. */
export function genesisView(network: Network): ChainView {
  const { block, facts } = genesisBlock(network);
  const { outputs, unlockTime } = block.block.coinbase;
  const ofAmount = (amount: bigint) => outputs.filter((output) => output.amount === amount);
  return {
    height: 0,
    facts: (height) => {
      if (height !== 0) throw new RangeError(`no block ${height} on a chain of height 0`);
      return facts;
    },
    window: (end, count) => (end === 0 && count > 0 ? [facts] : []),
    keyImageHeight: () => undefined,
    output: (amount, index) => {
      const output = ofAmount(amount)[index];
      return output && { key: output.key, unlockTime, height: 0 };
    },
    outputCount: (amount) => ofAmount(amount).length,
    hasTransaction: (hash) => hash.equals(block.coinbase.hash),
  };
}
