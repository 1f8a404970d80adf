/** Transactions by the height of their block; the newest are given out first, however many there are. */
export class WantedTransactions {
  private readonly byHeight = new Map<number, Set<string>>();
  /** Ascending while `isSorted`; some may be gone. */
  private heights: number[] = [];
  private isSorted = true;

  add(height: number, hash: string): void {
    const hashes = this.byHeight.get(height);
    if (hashes !== undefined) {
      hashes.add(hash);
      return;
    }
    this.byHeight.set(height, new Set([hash]));
    this.isSorted &&= height >= (this.heights.at(-1) ?? 0);
    this.heights.push(height);
  }

  get isEmpty(): boolean {
    return this.byHeight.size === 0;
  }

  has(height: number, hash: string): boolean {
    return this.byHeight.get(height)?.has(hash) === true;
  }

  delete(height: number): void {
    this.byHeight.delete(height);
  }

  /** The newest height, and the lowest one less than `span` below it. */
  newest(span: number): { readonly start: number; readonly end: number } | undefined {
    if (!this.isSorted) this.heights.sort((left, right) => left - right);
    this.isSorted = true;
    while (this.heights.length > 0 && !this.byHeight.has(this.heights.at(-1) ?? 0)) this.heights.pop();
    const end = this.heights.at(-1);
    if (end === undefined) return undefined;
    let start = end;
    for (let i = this.heights.length - 1; i >= 0; i--) {
      const height = this.heights[i] ?? 0;
      if (height <= end - span) break;
      if (this.byHeight.has(height)) start = height;
    }
    return { start, end };
  }
}
