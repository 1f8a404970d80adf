import type { BlockFacts } from '@wrkz/consensus';

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
