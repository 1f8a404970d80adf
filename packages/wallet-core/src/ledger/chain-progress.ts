import type { AppliedTip, SyncProgress } from './model';

/** Number of stored hashes of the last blocks. */
const RECENT = 50;
/** A hash is stored permanently each time the height passes a multiple of this. */
const CHECKPOINT_STEP = 5_000;

interface KnownBlock {
  readonly hash: string;
  /** Its height; for a hash from a file, which has no heights, the highest possible one. */
  readonly height: number;
}

/** The scan position, and the hashes by which a node finds it (docs/protocol/wallet.md#progress). */
export class ChainProgress {
  private at: number;
  private recent: KnownBlock[];
  private checkpoints: KnownBlock[];
  private appliedTip: AppliedTip;

  constructor({ height, recentHashes, checkpointHashes }: SyncProgress) {
    this.at = height;
    this.appliedTip = { height, timestamp: 0 };
    // A file may repeat hashes and has no heights. The newest is the last applied block; each older one is at least one block
    // below.
    this.recent = [...new Set(recentHashes)].slice(0, RECENT).map((hash, i) => ({ hash, height: height - i }));
    this.checkpoints = [...new Set(checkpointHashes)].map((hash) => ({ hash, height: -1 }));
  }

  get height(): number {
    return this.at;
  }

  get hash(): string | undefined {
    return this.recent[0]?.hash;
  }

  /** The highest block that was applied, not only marked. */
  get applied(): AppliedTip {
    return this.appliedTip;
  }

  set applied(tip: AppliedTip) {
    this.appliedTip = tip;
  }

  get hasStarted(): boolean {
    return this.at > 0 || this.recent.length > 0;
  }

  /** The block at `height`, above all others, is the last one that was applied. */
  advance(height: number, hash: string): void {
    const passed = Math.floor(height / CHECKPOINT_STEP) > Math.floor(this.at / CHECKPOINT_STEP);
    this.at = height;
    if (this.recent[0]?.hash === hash) this.recent[0] = { hash, height };
    else this.recent = [{ hash, height }, ...this.recent.filter((block) => block.hash !== hash)].slice(0, RECENT);
    if (passed && this.checkpoints[0]?.hash !== hash) this.checkpoints.unshift({ hash, height });
  }

  /** Forgets the blocks from `height` on. */
  rewind(height: number): void {
    const below = (block: KnownBlock): boolean => block.height < height;
    this.recent = this.recent.filter(below);
    this.checkpoints = this.checkpoints.filter(below);
    this.at = Math.max(0, Math.min(this.at, height - 1));
    if (this.appliedTip.height >= height) this.appliedTip = { height: this.at, timestamp: this.appliedTip.timestamp };
  }

  clear(): void {
    this.at = 0;
    this.recent = [];
    this.checkpoints = [];
    this.appliedTip = { height: 0, timestamp: 0 };
  }

  content(): SyncProgress {
    return {
      height: this.at,
      recentHashes: this.recent.map(({ hash }) => hash),
      checkpointHashes: this.checkpoints.map(({ hash }) => hash),
    };
  }
}
