/** A stretch of blocks that a node does not serve. */
export interface SyncGap {
  /** The last index that was scanned. */
  readonly coveredTo: number;
  /** The lowest index that the node serves. */
  readonly servesFrom: number;
}

/** An unexplained start is asked for again; so many in a row are a gap. */
const UNEXPLAINED_STARTS = 3;

export interface StartFacts {
  /** The highest index fetched or applied; 0 for none. */
  readonly coveredTo: number;
  readonly startHeight: number;
  readonly liteStartHeight: number;
  /** The first index of the answer. */
  readonly first: number;
  /** Empty blocks may be missing, or the node decides where a timestamp lies: any start is right. */
  readonly isFree: boolean;
}

/** Whether answers go on where the wallet stands (docs/protocol/wallet-sync.md#gaps). */
export class StartCheck {
  #unexplained = 0;
  #gap: SyncGap | undefined;

  get gap(): SyncGap | undefined {
    return this.#gap;
  }

  /** Before anything is asked: a wallet that lacks blocks which a lite node does not hold. */
  meetsLiteNode(coveredTo: number, liteStartHeight: number): boolean {
    if (liteStartHeight === 0 || coveredTo === 0 || coveredTo + 1 >= liteStartHeight) return true;
    this.#gap = { coveredTo, servesFrom: liteStartHeight };
    return false;
  }

  accepts({ coveredTo, startHeight, liteStartHeight, first, isFree }: StartFacts): boolean {
    const expected = coveredTo === 0 ? startHeight : Math.max(coveredTo + 1, startHeight);
    if (isFree || first <= expected) return true;
    const gap = { coveredTo: Math.max(0, expected - 1), servesFrom: first };
    if (liteStartHeight !== 0 && expected < liteStartHeight) {
      this.#gap = { ...gap, servesFrom: liteStartHeight };
      return false;
    }
    this.#unexplained++;
    if (this.#unexplained >= UNEXPLAINED_STARTS) this.#gap = gap;
    return false;
  }

  /** An answer was accepted, or the node had nothing more. */
  clear(): void {
    this.#unexplained = 0;
    this.#gap = undefined;
  }
}
