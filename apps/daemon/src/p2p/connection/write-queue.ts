import type { Duplex } from 'node:stream';
import type { ByteAllowance } from '@wrkz/levin';
import { WRITE_QUEUE_LIMIT, WRITE_TIMEOUT } from '../constants';

/** Large frames are written in slices, so that progress is measurable on a slow connection. */
const SLICE = 256 * 1024;

export type WriteError = 'writeQueueFull' | 'writeTimeout' | 'memoryBudget';

/** Limits the unsent bytes of a socket, in size and in time without progress. */
export class WriteQueue {
  private pending = 0;
  private progressAt = 0;
  private readonly waiting: { readonly below: number; readonly resolve: () => void }[] = [];

  constructor(
    private readonly socket: Pick<Duplex, 'write'>,
    private readonly now: () => number,
    private readonly budget: ByteAllowance,
  ) {}

  get size(): number {
    return this.pending;
  }

  /** Queues a frame. @returns an error if a limit is exceeded; nothing is written then */
  push(header: Buffer, body: Buffer): WriteError | undefined {
    const size = header.length + body.length;
    if (this.pending + size > WRITE_QUEUE_LIMIT) return 'writeQueueFull';
    if (!this.budget.take(size)) return 'memoryBudget';
    if (this.pending === 0) this.progressAt = this.now();
    this.pending += size;
    // Small frames are sent as one chunk; large bodies are not copied.
    const parts = size <= SLICE ? [Buffer.concat([header, body], size)] : [header, body];
    for (const part of parts) {
      for (let start = 0; start < part.length; start += SLICE) this.write(part.subarray(start, start + SLICE));
    }
    return undefined;
  }

  /** @returns an error if bytes are queued and none was sent for WRITE_TIMEOUT */
  check(): WriteError | undefined {
    return this.pending > 0 && this.now() - this.progressAt > WRITE_TIMEOUT ? 'writeTimeout' : undefined;
  }

  /** Resolves when fewer than `bytes` are queued, or when the queue is closed. */
  below(bytes: number): Promise<void> {
    if (this.pending < bytes) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ below: bytes, resolve }));
  }

  close(): void {
    this.budget.give(this.pending);
    this.pending = 0;
    for (const { resolve } of this.waiting.splice(0)) resolve();
  }

  private write(bytes: Buffer): void {
    this.socket.write(bytes, () => this.left(bytes.length));
  }

  private left(bytes: number): void {
    // `close` has already released all bytes.
    const counted = Math.min(bytes, this.pending);
    this.pending -= counted;
    this.budget.give(counted);
    this.progressAt = this.now();
    for (let index = this.waiting.length - 1; index >= 0; index -= 1) {
      const waiter = this.waiting[index];
      if (waiter === undefined || this.pending >= waiter.below) continue;
      this.waiting.splice(index, 1);
      waiter.resolve();
    }
  }
}
