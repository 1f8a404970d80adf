import type { SyncProgress } from './model';

/** Number of recent block hashes that are stored to find the fork point after a restart. */
export const MAX_RECENT_HASHES = 50;
/** A hash is stored permanently each time the height passes a multiple of this. */
const CHECKPOINT_STEP = 5_000;

/** Whether the block at `height` becomes a sparse checkpoint: `before` to `height` passes a multiple of the step. */
export function crossesCheckpoint(before: number, height: number): boolean {
  return Math.floor(height / CHECKPOINT_STEP) > Math.floor(before / CHECKPOINT_STEP);
}

interface KnownBlock {
  readonly hash: string;
  /** Block height. A file stores no heights: for a hash from a file this is the highest possible height. */
  readonly height: number;
}

/** The scan position, and the block hashes from which a node finds the fork point (docs/protocol/wallet.md#progress). */
export class ChainProgress {
  height: number;
  private recent: KnownBlock[];
  private checkpoints: KnownBlock[];
  /** Height of the last applied block. Blocks that were only marked as scanned do not count. */
  appliedHeight: number;

  constructor({ height, recentHashes, checkpointHashes }: SyncProgress) {
    this.height = height;
    this.appliedHeight = height;
    // A file has no heights and may repeat hashes. The newest hash is the last applied block; each older one is at least one
    // block lower.
    this.recent = [...new Set(recentHashes)]
      .slice(0, MAX_RECENT_HASHES)
      .map((hash, i) => ({ hash, height: height - i }));
    this.checkpoints = [...new Set(checkpointHashes)].map((hash) => ({ hash, height: -1 }));
  }

  get position(): { readonly height: number; readonly hash: string | undefined } {
    return { height: this.height, hash: this.recent[0]?.hash };
  }

  get hasStarted(): boolean {
    return this.height > 0 || this.recent.length > 0;
  }

  /** Records the block at `height`, above all recorded ones, as the last one. */
  advance(height: number, hash: string): void {
    const isCheckpoint = crossesCheckpoint(this.height, height);
    this.height = height;
    if (this.recent.some((block) => block.hash === hash)) {
      this.recent = this.recent.filter((block) => block.hash !== hash);
    }
    this.recent.unshift({ hash, height });
    if (this.recent.length > MAX_RECENT_HASHES) this.recent.pop();
    if (isCheckpoint && this.checkpoints[0]?.hash !== hash) this.checkpoints.unshift({ hash, height });
  }

  /** Removes the blocks from `height` on. */
  rewind(height: number): void {
    const below = (block: KnownBlock): boolean => block.height < height;
    this.recent = this.recent.filter(below);
    this.checkpoints = this.checkpoints.filter(below);
    this.height = Math.max(0, Math.min(this.height, height - 1));
    if (this.appliedHeight >= height) this.appliedHeight = this.height;
  }

  clear(): void {
    this.height = 0;
    this.recent = [];
    this.checkpoints = [];
    this.appliedHeight = 0;
  }

  content(): SyncProgress {
    return {
      height: this.height,
      recentHashes: this.recent.map(({ hash }) => hash),
      checkpointHashes: this.checkpoints.map(({ hash }) => hash),
    };
  }
}
