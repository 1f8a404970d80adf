import type { SyncProgress } from '../ledger/model';

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

/** Requests that are under way at once. */
export const WINDOWS_AT_ONCE = 4;
/** Four times the depth below which no node takes another branch: nobody would notice a fork among windows. */
const REORGANISATION_MARGIN = 720;
/** What a node walks in one answer when it may leave blocks out. */
const SPARSE_FACTOR = 20;
const WIDEST = 50_000;

export interface HeightWindow {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The windows that may be fetched side by side, ascending; none near the tip (docs/protocol/wallet-sync.md#windows).
 * @param isSparse the node leaves empty blocks out, so that an answer reaches further than its number of blocks
 */
export function heightWindows(next: number, localHeight: number, batch: number, isSparse: boolean): HeightWindow[] {
  const width = isSparse ? Math.min(SPARSE_FACTOR * batch, WIDEST) : batch;
  if (localHeight - next < WINDOWS_AT_ONCE * width + REORGANISATION_MARGIN) return [];
  return Array.from({ length: WINDOWS_AT_ONCE }, (_, i) => ({
    start: next + i * width,
    end: next + (i + 1) * width,
  }));
}

/** Blocks below the node's tip that a wallet requests even when they are empty and coinbases are skipped. */
const DENSE_BLOCKS = 100;

/** @param tip index of the node's tip */
export const firstDenseHeight = (tip: number): number => tip - DENSE_BLOCKS + 1;

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

/** Hashes of the newest blocks that are sent. */
const NEWEST = 50;
/** Old files may hold any number of sparse ones; no chain has more than this of one in 5,000 blocks. */
const SPARSE = 2_000;

/**
 * What a node is told of the blocks a wallet has, newest first: fetched ones, applied ones until there are 50, then the
 * sparse list (docs/protocol/wallet-sync.md#asking). Files of other programs repeat hashes; none is sent twice.
 */
export function checkpointsOf(fetched: readonly string[], progress: SyncProgress): string[] {
  const newest = new Set(fetched.slice(0, NEWEST));
  for (const hash of progress.recentHashes) {
    if (newest.size >= NEWEST) break;
    newest.add(hash);
  }
  const all = newest;
  for (const hash of progress.checkpointHashes.slice(0, SPARSE)) all.add(hash);
  return [...all];
}
