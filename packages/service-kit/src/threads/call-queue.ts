import type { CallOptions } from './worker-thread';

/** What a pool is told of a call besides what the thread is. */
export interface PoolCallOptions extends CallOptions {
  /** Who asks. Turns and places are given by owner; calls without one share theirs. */
  readonly owner?: string | undefined;
  /** The kind of work, where the queue has several lanes; the first of them when left out. */
  readonly lane?: string | undefined;
}

/** A call that waits for a thread of a pool. */
export interface QueuedCall {
  readonly name: string;
  readonly options: PoolCallOptions;
}

/** Who goes next when more calls wait than there are threads. */
export interface CallQueue<C extends QueuedCall> {
  /** Calls that wait. */
  readonly size: number;
  /** Takes a call in. When there is no place for all, says which call is refused for it: this one, or one that waits. */
  add(call: C): C | undefined;
  /** The call that is begun now; undefined when none waits that may. */
  next(): C | undefined;
  /** Hears that a call which `next` gave out has ended. */
  done(call: C): void;
  /** Takes out a call that is no longer wanted. */
  remove(call: C): void;
  /** Takes out all that wait. */
  clear(): C[];
}
