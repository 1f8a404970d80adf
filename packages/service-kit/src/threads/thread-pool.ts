import type { FairQueue, PoolCallOptions, QueuedCall } from './fair-queue';
import type { Argument, CallName, Result, ThreadShape } from './protocol';
import { reasonOf, WorkerThread, type WorkerThreadOptions } from './worker-thread';

export interface ThreadPoolOptions<S extends ThreadShape> {
  readonly thread: Pick<WorkerThreadOptions<S>, 'entry' | 'setup' | 'errors'>;
  readonly size: number;
  readonly queue: FairQueue<PoolCall>;
  /** Error of a call if the queue is full, and after `close`. */
  readonly busyError: () => Error;
  /** Error of queued calls when the pool closes. */
  readonly closedError: () => Error;
  /** Called when a thread has ended a call. @param elapsedMs time for which the call occupied it @param result undefined after an error */
  readonly onEnded?: (options: PoolCallOptions, elapsedMs: number, result: unknown) => void;
}

export interface PoolCall extends QueuedCall {
  readonly argument: unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onAbort: () => void;
}

/**
 * Equal threads, each with one call at a time: the first starts with the pool, others when all running ones are busy. A thread
 * that dies or cannot start fails its call, and is replaced when the next call needs it, so that a permanent error causes no
 * loop.
 */
export class ThreadPool<S extends ThreadShape> {
  /** Threads without a call; some may have died. */
  private readonly idle: WorkerThread<S>[] = [];
  /** All threads that have not exited. */
  private readonly threads = new Set<WorkerThread<S>>();
  private closed = false;

  constructor(private readonly options: ThreadPoolOptions<S>) {
    this.idle.push(this.startThread());
  }

  /** Queued calls. */
  get waiting(): number {
    return this.options.queue.size;
  }

  call<N extends CallName<S>>(name: N, argument: Argument<S, N>, options: PoolCallOptions = {}): Promise<Result<S, N>> {
    const { queue, busyError } = this.options;
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
    const result = new Promise<unknown>((resolve, reject) => {
      const onAbort = (): void => {
        queue.remove(call);
        reject(reasonOf(signal));
      };
      const call: PoolCall = { name, argument, options, resolve, reject, onAbort };
      const refused = this.closed ? call : queue.add(call);
      if (refused !== undefined) dequeued(refused).reject(busyError());
      if (refused === call) return;
      signal?.addEventListener('abort', onAbort, { once: true });
      this.dispatch();
    });
    return result;
  }

  /** Rejects queued calls, waits for running calls, ends the threads. */
  async close(): Promise<void> {
    this.closed = true;
    for (const call of this.options.queue.clear()) dequeued(call).reject(this.options.closedError());
    await Promise.all([...this.threads].map((thread) => thread.close()));
  }

  private dispatch(): void {
    const { queue } = this.options;
    while (queue.size > 0) {
      const thread = this.takeThread();
      if (thread === undefined) return;
      const call = queue.next();
      if (call === undefined) return void this.idle.push(thread);
      void this.run(thread, dequeued(call));
    }
  }

  private async run(thread: WorkerThread<S>, call: PoolCall): Promise<void> {
    const { name, argument, options, resolve, reject } = call;
    const start = performance.now();
    let result: unknown;
    try {
      result = await thread.call(name, argument, options);
      resolve(result);
    } catch (error) {
      reject(error as Error);
    }
    this.options.onEnded?.(options, performance.now() - start, result);
    this.options.queue.done(call);
    if (thread.alive && !this.closed) this.idle.push(thread);
    this.dispatch();
  }

  /** An idle thread, or a new one below the pool size. */
  private takeThread(): WorkerThread<S> | undefined {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop()) {
      if (thread.alive) return thread;
    }
    const alive = [...this.threads].filter((thread) => thread.alive).length;
    return alive < this.options.size ? this.startThread() : undefined;
  }

  private startThread(): WorkerThread<S> {
    // A failed thread exists until it is closed.
    const thread = new WorkerThread<S>({ ...this.options.thread, onFailed: () => void thread.close() });
    this.threads.add(thread);
    void thread.gone.then(() => this.threads.delete(thread));
    return thread;
  }
}

/** Removes the abort listener of a call that leaves the queue. */
function dequeued(call: PoolCall): PoolCall {
  call.options.signal?.removeEventListener('abort', call.onAbort);
  return call;
}
