import { type BlockFacts, nextDifficulty } from '@wrkz/consensus';
import type { Network } from '@wrkz/core-types';
import type { Problems } from './problems';

/** More blocks than the longest difficulty window. */
const KEPT = 3000;

/** Sliding window of the last blocks, for the difficulty rule. */
export class FactsWindow {
  private recent: BlockFacts[] = [];

  push(facts: BlockFacts): void {
    this.recent.push(facts);
    if (this.recent.length > 2 * KEPT) this.recent = this.recent.slice(-KEPT);
  }

  window(end: number, count: number): BlockFacts[] {
    const past = this.recent.length - ((this.recent.at(-1)?.height ?? -1) - end);
    return this.recent.slice(Math.max(0, past - count), past);
  }
}

/** Coins (atomic units) and transactions, including the coinbase, that a block adds to the totals. */
export interface BlockTotals {
  readonly created: bigint;
  readonly fees: bigint;
  readonly count: number;
}

/**
 * Compares the cumulative facts of a block with the row below, so that one wrong row is reported once. Blocks are added in chain
 * order.
 */
export class WorkCheck {
  private readonly window = new FactsWindow();
  private latestTimestamp = 0;
  /** The facts of the row below. */
  previous: BlockFacts | undefined;

  constructor(
    private readonly network: Network,
    private readonly problems: Problems,
  ) {}

  /** @param totals of the block; undefined if transactions are missing */
  check(facts: BlockFacts, totals: BlockTotals | undefined): void {
    const { previous, problems } = this;
    // A block that does not follow the row below is already reported; its totals are meaningless.
    if (facts.height > 0 && previous === undefined) return;
    const where = `block ${facts.height}`;
    const below = previous ?? { cumulativeDifficulty: 0n, generatedCoins: 0n, generatedTransactions: 0 };
    if (totals === undefined) {
      if (facts.generatedTransactions <= below.generatedTransactions) problems.add(where, 'has no transactions');
      if (facts.generatedCoins < below.generatedCoins) problems.add(where, 'takes coins away');
    } else {
      const { created, fees, count } = totals;
      problems.equal(where, 'generated coins', facts.generatedCoins, below.generatedCoins + created - fees);
      const generated = below.generatedTransactions + count;
      problems.equal(where, 'generated transactions', facts.generatedTransactions, generated);
    }
    const difficulty = facts.height === 0 ? 1n : nextDifficulty(this.network, facts.height - 1, this.window);
    problems.equal(where, 'difficulty', facts.difficulty, difficulty);
    problems.equal(where, 'cumulative difficulty', facts.cumulativeDifficulty, below.cumulativeDifficulty + difficulty);
  }

  /** @param timestamp in the bytes of the block; undefined if they are missing */
  checkLag(height: number, timestampLag: number, timestamp: number): void {
    this.latestTimestamp = Math.max(this.latestTimestamp, timestamp);
    this.problems.equal(`block ${height}`, 'timestamp lag', timestampLag, this.latestTimestamp - timestamp);
  }

  /** Ends the check of a block. @param facts undefined if the block has no row */
  next(facts: BlockFacts | undefined): void {
    this.previous = facts;
    if (facts !== undefined) this.window.push(facts);
  }
}
