const FAST = 2_000;
/** Milliseconds that make an answer a slow one. */
export const SLOW = 10_000;
/** A block's size before any was seen. */
const FIRST_ESTIMATE = 2048;
/**
 * The most that one answer is planned to weigh. A peer of the reference hangs up when 32 MB wait to be sent, and it may
 * have other things for us in its queue.
 */
const ANSWER_LIMIT = 24 * 1024 * 1024;

export interface BatchOptions {
  /** `--sync-batch-min` and `--sync-batch-max`, in blocks. */
  readonly min: number;
  readonly max: number;
  /** `--block-sync-size`: the most blocks of one request. */
  readonly most: number;
  /** `--block-sync-bytes`: what one answer may weigh. */
  readonly bytes: number;
}

/** What all peers together have taught of blocks and of our own line. */
export class BatchHistory {
  /** Bytes of a block. */
  average = FIRST_ESTIMATE;
  /** With how many blocks the next peer begins. */
  start: number;

  constructor(readonly options: BatchOptions) {
    this.start = options.min;
  }

  /** What so many blocks probably weigh. */
  estimate(blocks: number): number {
    return blocks * this.average;
  }
}

/**
 * How many blocks to ask one peer for at once: more when its answers come fast, fewer when slow, half after a failure, and
 * never above the byte budget and the most that the operator allows.
 */
export class BatchSize {
  private current: number;
  private readonly history: BatchHistory;

  constructor(
    private readonly options: BatchOptions,
    history?: BatchHistory,
  ) {
    this.history = history ?? new BatchHistory(options);
    this.current = this.history.start;
  }

  /** The blocks of the next request, at least 1. */
  get count(): number {
    const bytes = Math.min(this.options.bytes, ANSWER_LIMIT);
    return Math.max(1, Math.min(this.current, this.options.most, Math.floor(bytes / this.history.average)));
  }

  /** Learns from an answer of `blocks` blocks and `bytes` bytes that took `milliseconds`. */
  note(blocks: number, bytes: number, milliseconds: number): void {
    if (blocks <= 0) return;
    const { history, options } = this;
    // Larger blocks count at once: an answer that is too large ends the connection, one that is too small costs a turn.
    const mean = bytes / blocks;
    history.average = Math.max(64, mean, history.average * 0.7 + mean * 0.3);
    if (milliseconds > SLOW) {
      this.current = Math.max(Math.min(this.current, options.min), Math.floor(this.current / 2));
    } else if (milliseconds < FAST) {
      this.current = Math.min(options.max, this.current * 2);
      history.start = Math.min(options.min, history.start * 2);
    }
  }

  /** An answer did not come, not in time or not whole. Later peers begin with less as well. */
  failed(): void {
    this.current = Math.max(1, Math.floor(this.count / 2));
    this.history.start = Math.min(this.history.start, this.current);
  }
}
