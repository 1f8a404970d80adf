import type { SyncProgress } from '../ledger/model';

/** Blocks of the first request, and the min after a success. */
const FIRST = 100;
/** The default limit of nodes. */
const MAX_BLOCKS_PER_REQUEST = 1_000;

/** The number of blocks per request (docs/protocol/wallet-sync.md#batches). */
export class BlockBatchSize {
  private batchSize: number;
  private ceiling: number;

  /** @param max at least 1; older nodes silently cut larger requests to 100 */
  constructor(max = MAX_BLOCKS_PER_REQUEST) {
    this.ceiling = Math.max(1, Math.min(max, MAX_BLOCKS_PER_REQUEST));
    this.batchSize = Math.min(FIRST, this.ceiling);
  }

  get size(): number {
    return this.batchSize;
  }

  succeeded(): void {
    const next = this.batchSize < FIRST ? FIRST : this.batchSize * 2;
    this.batchSize = Math.min(next, this.ceiling);
  }

  failed(): void {
    this.batchSize = Math.max(1, Math.floor(this.batchSize / 2));
  }

  /** The node refused a request of this size. @returns whether a smaller one may be sent at once */
  refused(): boolean {
    if (this.batchSize <= FIRST) return false;
    this.ceiling = Math.max(FIRST, Math.floor(this.batchSize / 2));
    this.batchSize = Math.min(this.batchSize, this.ceiling);
    return true;
  }
}

/** Requests that are under way at once. */
const MAX_CONCURRENT_WINDOWS = 4;
/** Four times the depth below which no node takes another branch: a fork between windows would not be noticed. */
const REORGANISATION_MARGIN = 720;
/** Blocks per request that a node examines when empty ones are left out, as a multiple of the batch size. */
const SPARSE_FACTOR = 20;
const WIDEST = 50_000;

export interface HeightWindow {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The windows that may be fetched side by side, ascending; none near the tip (docs/protocol/wallet-sync.md#windows).
 * @param isSparse the node leaves empty blocks out, so that a response reaches further than its number of blocks
 */
export function heightWindows(next: number, localHeight: number, batch: number, isSparse: boolean): HeightWindow[] {
  const width = isSparse ? Math.min(SPARSE_FACTOR * batch, WIDEST) : batch;
  if (localHeight - next < MAX_CONCURRENT_WINDOWS * width + REORGANISATION_MARGIN) return [];
  return Array.from({ length: MAX_CONCURRENT_WINDOWS }, (_, i) => ({
    start: next + i * width,
    end: next + (i + 1) * width,
  }));
}

/** Hashes of the newest blocks that are sent. */
const NEWEST = 50;
/** Old files may hold any number of sparse ones; no chain has more than this of one in 5,000 blocks. */
const SPARSE = 2_000;

/**
 * The block hashes that a request carries, newest first: fetched ones, applied ones until there are 50, then the
 * sparse list (docs/protocol/wallet-sync.md#asking). Files of other programs repeat hashes; none is sent twice.
 */
export function checkpointsOf(fetched: readonly string[], progress: SyncProgress): string[] {
  const newest = [...new Set([...fetched, ...progress.recentHashes])].slice(0, NEWEST);
  return [...new Set([...newest, ...progress.checkpointHashes.slice(0, SPARSE)])];
}
