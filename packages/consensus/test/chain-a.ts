import { networkOf, parseBlock, parseTransaction, type ParsedBlock, type ParsedTransaction } from '@wrkz/core-types';
import { BranchView, Checkpoints, genesisView, stageBlock, type BlockContext, type GoodBlock } from '@wrkz/consensus';
import { chainALines } from '@wrkz/testing/fixtures';

/*
 * Devnet chain A (721 blocks that the reference created and accepted) as parsed blocks, and branches that end at any of
 * its heights.
 */

export const devnet = networkOf('devnet');

/** Unix seconds after the last block, so that no timestamp is in the future. */
export const NOW = 1_800_000_000;

export interface ParsedPair {
  readonly block: ParsedBlock;
  readonly transactions: readonly ParsedTransaction[];
}

let parsed: ParsedPair[] | undefined;

/** Every block of chain A, by height. */
export function chainA(): readonly ParsedPair[] {
  parsed ??= chainALines().map((line) => ({
    block: parseBlock(Buffer.from(line.block, 'hex')),
    transactions: line.transactions.map((hex) => parseTransaction(Buffer.from(hex, 'hex'))),
  }));
  return parsed;
}

export function blockAt(height: number): ParsedPair {
  const pair = chainA()[height];
  if (pair === undefined) throw new RangeError(`chain A has no block ${height}`);
  return pair;
}

/** A context on top of a branch of devnet, without checkpoints. */
export function contextOn(view: BranchView, change: Partial<BlockContext> = {}): BlockContext {
  return { network: devnet, view, now: NOW, checkpoints: Checkpoints.none, ...change };
}

/** Stages a block. @throws Error if it fails a cheap check */
export function stageGood(pair: ParsedPair, context: BlockContext): GoodBlock {
  const staged = stageBlock(pair.block, pair.transactions, context);
  if (staged.failure !== undefined) {
    throw new Error(`block on ${context.view.height}: ${staged.failure.code} ${staged.failure.detail ?? ''}`);
  }
  return staged;
}

let staged: GoodBlock[] | undefined;

/** Blocks 1 to 720, each staged on the previous one; block `height` has the index `height - 1`. Proofs are not run. */
export function stagedChainA(): readonly GoodBlock[] {
  if (staged !== undefined) return staged;
  staged = [];
  const view = new BranchView(genesisView(devnet));
  for (let height = 1; height < chainA().length; height++) {
    const block = stageGood(blockAt(height), contextOn(view));
    view.push(block);
    staged.push(block);
  }
  return staged;
}

/** A new branch that ends with block `height` of chain A. */
export function branchTo(height: number): BranchView {
  const view = new BranchView(genesisView(devnet));
  for (const block of stagedChainA().slice(0, height)) view.push(block);
  return view;
}
