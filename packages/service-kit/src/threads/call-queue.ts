import type { CallOptions } from './worker-thread';

/** A call that waits for a thread of a pool. */
export interface QueuedCall {
  readonly name: string;
  readonly options: CallOptions;
}

/** Who goes next when more calls wait than there are threads. */
export interface CallQueue<C extends QueuedCall> {
  readonly size: number;
  /** False when there is no place for it. */
  add(call: C): boolean;
  next(): C | undefined;
  /** Takes out a call that is no longer wanted. */
  remove(call: C): void;
}

/** First come, first served, up to a number of calls. */
export class FifoQueue<C extends QueuedCall> implements CallQueue<C> {
  private readonly calls = new Set<C>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.calls.size;
  }

  add(call: C): boolean {
    if (this.calls.size >= this.capacity) return false;
    this.calls.add(call);
    return true;
  }

  next(): C | undefined {
    const [first] = this.calls;
    if (first !== undefined) this.calls.delete(first);
    return first;
  }

  remove(call: C): void {
    this.calls.delete(call);
  }
}
