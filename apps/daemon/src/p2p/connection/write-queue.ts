import type { Duplex } from 'node:stream';
import type { ByteAllowance } from '@wrkz/levin';
import { WRITE_QUEUE_LIMIT, WRITE_TIMEOUT } from '../constants';

/** Large frames are handed over in such pieces, so that progress shows on a slow connection. */
const SLICE = 256 * 1024;

export type WriteFault = 'writeQueueFull' | 'writeTimeout' | 'memoryBudget';

/** Counts what was written and has not left yet; bounds it in bytes and in time. */
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

  /** Queues a frame's parts. Returns a fault, and writes nothing, when the peer has fallen too far behind. */
  push(header: Buffer, body: Buffer): WriteFault | undefined {
    const size = header.length + body.length;
    if (this.pending + size > WRITE_QUEUE_LIMIT) return 'writeQueueFull';
    if (!this.budget.take(size)) return 'memoryBudget';
    if (this.pending === 0) this.progressAt = this.now();
    this.pending += size;
    // Small frames go out in one piece; large bodies are not copied for that.
    const parts = size <= SLICE ? [Buffer.concat([header, body], size)] : [header, body];
    for (const part of parts) {
      for (let start = 0; start < part.length; start += SLICE) this.write(part.subarray(start, start + SLICE));
    }
    return undefined;
  }

  /** A fault when bytes wait and none has left for too long. */
  check(): WriteFault | undefined {
    return this.pending > 0 && this.now() - this.progressAt > WRITE_TIMEOUT ? 'writeTimeout' : undefined;
  }

  /** Resolves when fewer than `bytes` wait, or when the queue is closed. */
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
    this.socket.write(bytes, () => {
      this.left(bytes.length);
    });
  }

  private left(bytes: number): void {
    // After `close` nothing is counted any more.
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
