import type { SyncProgress } from './model';

/** Number of stored hashes of the last blocks: by them a wallet finds the fork point after a restart. */
export const MAX_RECENT_HASHES = 50;
/** A hash is stored permanently each time the height passes a multiple of this. */
const CHECKPOINT_STEP = 5_000;

/** Whether a block becomes a sparse checkpoint: the height passes a multiple of the step. */
export function crossesCheckpoint(before: number, height: number): boolean {
  return Math.floor(height / CHECKPOINT_STEP) > Math.floor(before / CHECKPOINT_STEP);
}

interface KnownBlock {
  readonly hash: string;
  /** Its height; for a hash from a file, which has no heights, the highest possible one. */
  readonly height: number;
}

/** The scan position, and the hashes by which a node finds it (docs/protocol/wallet.md#progress). */
export class ChainProgress {
  height: number;
  private recent: KnownBlock[];
  private checkpoints: KnownBlock[];
  /** The highest block that was applied, not only marked. */
  appliedHeight: number;

  constructor({ height, recentHashes, checkpointHashes }: SyncProgress) {
    this.height = height;
    this.appliedHeight = height;
    // A file may repeat hashes and has no heights. The newest is the last applied block; each older one is at least one block
    // below.
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

  /** The block at `height`, above all others, is the last one that was applied. */
  advance(height: number, hash: string): void {
    const isCheckpoint = crossesCheckpoint(this.height, height);
    this.height = height;
    this.recent = [{ hash, height }, ...this.recent.filter((block) => block.hash !== hash)].slice(0, MAX_RECENT_HASHES);
    if (isCheckpoint && this.checkpoints[0]?.hash !== hash) this.checkpoints.unshift({ hash, height });
  }

  /** Forgets the blocks from `height` on. */
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
