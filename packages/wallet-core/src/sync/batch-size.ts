/** Blocks asked for at first, and the least after a success. */
const FIRST = 100;
/** The most that a node gives at once unless its operator says otherwise. */
export const MOST_BLOCKS_A_REQUEST = 1_000;

/** How many blocks are asked for at once (docs/protocol/wallet-sync.md#batches). */
export class BlockBatchSize {
  #size: number;
  #ceiling: number;

  /** @param most at least 1; older nodes cut whatever lies above 100 without a word */
  constructor(most = MOST_BLOCKS_A_REQUEST) {
    this.#ceiling = Math.max(1, Math.min(most, MOST_BLOCKS_A_REQUEST));
    this.#size = Math.min(FIRST, this.#ceiling);
  }

  get size(): number {
    return this.#size;
  }

  succeeded(): void {
    const next = this.#size < FIRST ? FIRST : this.#size * 2;
    this.#size = Math.min(next, this.#ceiling);
  }

  failed(): void {
    this.#size = Math.max(1, Math.floor(this.#size / 2));
  }

  /** The node has refused so many at once: whether fewer may be asked for at once. */
  refused(): boolean {
    if (this.#size <= FIRST) return false;
    this.#ceiling = Math.max(FIRST, Math.floor(this.#size / 2));
    this.#size = Math.min(this.#size, this.#ceiling);
    return true;
  }
}
