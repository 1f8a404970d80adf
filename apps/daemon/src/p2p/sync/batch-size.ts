const FAST = 2_000;
const SLOW = 10_000;
/** A block's size before any was seen. */
const FIRST_ESTIMATE = 2048;

export interface BatchOptions {
  /** `--sync-batch-min` and `--sync-batch-max`, in blocks. */
  readonly min: number;
  readonly max: number;
  /** `--block-sync-bytes`: what one answer may weigh. */
  readonly bytes: number;
}

/** How many blocks to ask for at once: more when answers come fast, fewer when slow, never above the byte budget. */
export class BatchSize {
  private current: number;
  private average = FIRST_ESTIMATE;

  constructor(private readonly options: BatchOptions) {
    this.current = options.min;
  }

  /** The blocks of the next request, at least 1. */
  get count(): number {
    return Math.max(1, Math.min(this.current, Math.floor(this.options.bytes / this.average)));
  }

  /** What so many blocks probably weigh. */
  estimate(blocks: number): number {
    return blocks * this.average;
  }

  /** Learns from an answer of `blocks` blocks and `bytes` bytes that took `milliseconds`. */
  note(blocks: number, bytes: number, milliseconds: number): void {
    if (blocks <= 0) return;
    this.average = Math.max(64, this.average * 0.7 + (bytes / blocks) * 0.3);
    if (milliseconds > SLOW) this.current = Math.max(this.options.min, Math.floor(this.current / 2));
    else if (milliseconds < FAST) this.current = Math.min(this.options.max, this.current * 2);
  }
}
