import type { P2pConfig } from '../config';

const FAST = 2_000;
/** A response that takes longer is slow, milliseconds. */
export const SLOW = 10_000;
/** Estimated size of a block before the first response, bytes. */
const FIRST_ESTIMATE = 2048;
/**
 * Maximum estimated size of one response, bytes. The reference node disconnects when 32 MB wait to be sent, and it may
 * have other things for us in its queue.
 */
const RESPONSE_LIMIT = 24 * 1024 * 1024;

export type BatchOptions = Pick<P2pConfig, 'syncBatchMin' | 'syncBatchMax' | 'blockSyncSize' | 'blockSyncBytes'>;

/** Estimates of the block size and of our bandwidth, from the responses of all peers. */
export class BatchHistory {
  /** Average bytes of a block. */
  average = FIRST_ESTIMATE;
  /** Initial number of blocks per request to the next peer. */
  start: number;

  constructor(readonly options: BatchOptions) {
    this.start = options.syncBatchMin;
  }

  /** The estimated size of this number of blocks in bytes. */
  estimate(blocks: number): number {
    return blocks * this.average;
  }
}

/**
 * The number of blocks to request from one peer at once: it doubles after fast responses, and is halved after slow ones and
 * failures. It never exceeds the byte budget and the limit of the operator.
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
    const bytes = Math.min(this.options.blockSyncBytes, RESPONSE_LIMIT);
    return Math.max(1, Math.min(this.current, this.options.blockSyncSize, Math.floor(bytes / this.history.average)));
  }

  /** Adapts to a response of `blocks` blocks and `bytes` bytes that took `milliseconds`. */
  note(blocks: number, bytes: number, milliseconds: number): void {
    if (blocks <= 0) return;
    const { history, options } = this;
    // Larger blocks count at once: a response that is too large ends the connection, a small one costs only a round trip.
    const mean = bytes / blocks;
    history.average = Math.max(64, mean, history.average * 0.7 + mean * 0.3);
    if (milliseconds > SLOW) {
      this.current = Math.max(Math.min(this.current, options.syncBatchMin), Math.floor(this.current / 2));
    } else if (milliseconds < FAST) {
      this.current = Math.min(options.syncBatchMax, this.current * 2);
      history.start = Math.min(options.syncBatchMin, history.start * 2);
    }
  }

  /** No complete response arrived in time. Later peers start with less as well. */
  failed(): void {
    this.current = Math.max(1, Math.floor(this.count / 2));
    this.history.start = Math.min(this.history.start, this.current);
  }
}
