import type { SyncProgress } from '../ledger/model';

/** Number of blocks of the first request, and min after a success. */
const FIRST = 100;
/** Size in bytes of responses that the batch size aims at. Four windows and the stored blocks bound the memory of a scan. */
const RESPONSE_BYTES = 512 * 1024;
const MIN_LARGE_BLOCKS = 10;
/** Default limit of the nodes. */
const MAX_BLOCKS_PER_REQUEST = 1_000;

/** The number of blocks per request (docs/protocol/wallet-sync.md#batches). */
export class BlockBatchSize {
  private batchSize: number;
  private ceiling: number;
  /** Max batch for the size of the last blocks. */
  private sized = Infinity;

  /** @param max older nodes silently reduce larger requests to 100 */
  constructor(max = MAX_BLOCKS_PER_REQUEST) {
    // A request of one block would always return the genesis block, because nodes ignore its hash.
    this.ceiling = Math.max(2, Math.min(max, MAX_BLOCKS_PER_REQUEST));
    this.batchSize = Math.min(FIRST, this.ceiling);
  }

  get size(): number {
    return Math.min(this.batchSize, this.sized);
  }

  /** Adapts the batch to the size of the blocks in a response. */
  noteSize(blocks: number, bytes: number): void {
    if (blocks > 0) this.sized = Math.max(MIN_LARGE_BLOCKS, Math.floor((blocks * RESPONSE_BYTES) / bytes));
  }

  succeeded(): void {
    const next = this.batchSize < FIRST ? FIRST : this.batchSize * 2;
    this.batchSize = Math.min(next, this.ceiling);
  }

  failed(): void {
    this.batchSize = Math.max(1, Math.floor(this.batchSize / 2));
  }

  /** Called when the node refused a request of this size. @returns whether a smaller request can be sent immediately */
  refused(): boolean {
    if (this.batchSize <= FIRST) return false;
    this.ceiling = Math.max(FIRST, Math.floor(this.batchSize / 2));
    this.batchSize = Math.min(this.batchSize, this.ceiling);
    return true;
  }
}

const MAX_CONCURRENT_WINDOWS = 4;
/**
 * Windows end at least this many blocks below the tip, because a fork between two windows would not be noticed. Four times the
 * max depth of a reorganisation.
 */
const REORGANISATION_MARGIN = 720;
/** Window size for nodes that leave out empty blocks, as a multiple of the batch size. */
const SPARSE_FACTOR = 20;
const WIDEST = 50_000;

export interface HeightWindow {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The windows that can be fetched concurrently, ascending; none near the tip (docs/protocol/wallet-sync.md#windows).
 * @param isSparse the node leaves out empty blocks, so that a response covers more heights than its number of blocks
 */
export function heightWindows(next: number, localHeight: number, batch: number, isSparse: boolean): HeightWindow[] {
  const width = isSparse ? Math.min(SPARSE_FACTOR * batch, WIDEST) : batch;
  if (localHeight - next < MAX_CONCURRENT_WINDOWS * width + REORGANISATION_MARGIN) return [];
  return Array.from({ length: MAX_CONCURRENT_WINDOWS }, (_, i) => ({
    start: next + i * width,
    end: next + (i + 1) * width,
  }));
}

/** Max number of recent block hashes per request. */
const NEWEST = 50;
/** Max number of sparse checkpoints per request. Old files may have any number; a chain has one per 5,000 blocks. */
const SPARSE = 2_000;

/**
 * The block hashes of a request, newest first: fetched and applied ones up to 50, then the sparse checkpoints
 * (docs/protocol/wallet-sync.md#requests). Repeated hashes in files of other programs are sent only once.
 */
export function checkpointsOf(fetched: readonly string[], progress: SyncProgress): string[] {
  const newest = [...new Set([...fetched, ...progress.recentHashes])].slice(0, NEWEST);
  return [...new Set([...newest, ...progress.checkpointHashes.slice(0, SPARSE)])];
}
