import type { BlockFacts, ChainView } from '@wrkz/consensus';

/** More blocks than the longest difficulty window. */
const KEPT = 3000;

/** Sliding window of the last blocks, for the difficulty rule. */
export class FactsWindow implements ChainView {
  private recent: BlockFacts[] = [];
  height = -1;

  push(facts: BlockFacts): void {
    this.height = facts.height;
    this.recent.push(facts);
    if (this.recent.length > 2 * KEPT) this.recent = this.recent.slice(-KEPT);
  }

  facts(height: number): BlockFacts {
    const facts = this.recent[this.recent.length - 1 - (this.height - height)];
    if (facts?.height !== height) throw new RangeError(`block ${height} is not among the last ${KEPT}`);
    return facts;
  }

  window(end: number, count: number): BlockFacts[] {
    const past = this.recent.length - (this.height - end);
    return this.recent.slice(Math.max(0, past - count), past);
  }

  keyImageHeight(): undefined {
    return undefined;
  }

  output(): undefined {
    return undefined;
  }

  outputCount(): number {
    return 0;
  }
}
