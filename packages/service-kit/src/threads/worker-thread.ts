import type { Worker } from 'node:worker_threads';
import { startThread, type WorkerEntry } from '../assets';
import {
  type Argument,
  type CallName,
  type ErrorRegistry,
  type EventName,
  type FromThread,
  pack,
  type Packed,
  type PlainError,
  post,
  rebuiltError,
  type Result,
  type ThreadShape,
  transferList,
  unpack,
} from './protocol';

export interface WorkerThreadOptions<S extends ThreadShape> {
  /** The worker file, which calls `serveThread`: `workerEntry(__dirname, name)`. */
  readonly entry: WorkerEntry;
  readonly setup: S['setup'];
  readonly errors?: ErrorRegistry;
  readonly onEvent?: { readonly [N in EventName<S>]: (value: S['events'][N]) => void };
  /** Called when the thread dies or fails after it was ready. Its calls are already rejected. */
  readonly onFailed?: (error: Error) => void;
  /** Error of its calls when an uncaught error ends the thread. Default: that error. */
  readonly diedError?: (cause: Error) => Error;
  /** Error of open calls when the thread ends, and of calls after `close`. */
  readonly closedError?: () => Error;
}

export interface CallOptions {
  /**
   * Cancels the call: a queued one is removed, a running one is notified. The promise settles when the work has ended, with the
   * signal's reason if the call was removed or aborted.
   */
  readonly signal?: AbortSignal | undefined;
}

interface OpenCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

export class WorkerThread<S extends ThreadShape> {
  /** Result of the start; rejects with its error. */
  readonly ready: Promise<S['ready']>;
  /** Resolves when the thread has exited. */
  readonly gone: Promise<void>;
  private readonly worker: Worker;
  private readonly open = new Map<number, OpenCall>();
  private lastId = 0;
  private isReady = false;
  /** Error of further calls. */
  private ended: Error | undefined;
  private closing = false;
  private startError: Error | undefined;
  private resolveReady!: (value: S['ready']) => void;
  private rejectReady!: (error: Error) => void;

  constructor(private readonly options: WorkerThreadOptions<S>) {
    const { entry, setup } = options;
    const packed = pack(setup);
    this.worker = startThread(entry, { workerData: packed, transferList: transferList(packed) });
    this.ready = new Promise((resolve, reject) => {
      this.resolveReady = resolve;
      this.rejectReady = reject;
    });
    this.ready.catch(() => undefined);
    this.gone = new Promise((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.on('message', (message: Packed) => this.onMessage(unpack<FromThread>(message)));
    this.worker.on('messageerror', (error) => this.onDeath(error));
    this.worker.on('error', (thrown: unknown) => this.onDeath(thrown));
    this.worker.on('exit', (code) => this.onExit(code));
  }

  /** Whether the thread accepts calls. */
  get alive(): boolean {
    return this.ended === undefined;
  }

  call<N extends CallName<S>>(name: N, argument: Argument<S, N>, options: CallOptions = {}): Promise<Result<S, N>> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
    const id = (this.lastId += 1);
    const result = new Promise<unknown>((resolve, reject) => {
      const onAbort = (): void => post(this.worker, { kind: 'cancel', id });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.open.set(id, { resolve, reject, signal, onAbort });
      try {
        post(this.worker, { kind: 'call', id, name, argument });
      } catch (error) {
        this.settle(id)?.reject(error as Error);
      }
    });
    return result;
  }

  /** Closes the service, which may let running calls end, and waits until the thread has exited. */
  async close(): Promise<void> {
    this.ended ??= this.closedError();
    if (!this.closing) {
      this.closing = true;
      post(this.worker, { kind: 'close' });
    }
    await this.gone;
  }

  private onMessage(message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        this.isReady = true;
        return this.resolveReady(message.value);
      case 'failed':
        return this.onFailure(message.error);
      case 'result':
        return this.settle(message.id)?.resolve(message.value);
      case 'error':
        return this.onError(message.id, message.error);
      case 'event':
        return this.options.onEvent?.[message.name as EventName<S>](message.value as never);
    }
  }

  private onError(id: number, plain: PlainError): void {
    const call = this.settle(id);
    if (call === undefined) return;
    const cancelled = call.signal?.aborted === true && plain.name === 'AbortError';
    call.reject(cancelled ? reasonOf(call.signal) : rebuiltError(plain, this.options.errors ?? []));
  }

  private onFailure(plain: PlainError): void {
    const error = rebuiltError(plain, this.options.errors ?? []);
    if (this.isReady) return this.fail(error);
    this.startError = error;
    void this.worker.terminate();
  }

  private onDeath(thrown: unknown): void {
    // Node.js rebuilds the error, possibly in another realm: `instanceof` does not work.
    const isError = typeof thrown === 'object' && thrown !== null && 'message' in thrown;
    const error = isError ? (thrown as Error) : new Error(String(thrown));
    if (this.isReady) this.fail(this.died(error));
    else this.startError ??= error;
  }

  /** A failed start is reported after the exit, when the resources of the thread are free. */
  private onExit(code: number): void {
    const error = new Error(`the thread ended with code ${String(code)}`);
    if (!this.closing) this.fail(this.isReady ? this.died(error) : (this.startError ?? error));
    const why = this.ended ?? error;
    this.rejectReady(why);
    this.rejectAll(why);
  }

  private fail(error: Error): void {
    if (this.ended !== undefined) return;
    this.ended = error;
    this.rejectAll(error);
    if (this.isReady) this.options.onFailed?.(error);
  }

  private settle(id: number): OpenCall | undefined {
    const call = this.open.get(id);
    this.open.delete(id);
    call?.signal?.removeEventListener('abort', call.onAbort);
    return call;
  }

  private rejectAll(error: Error): void {
    for (const id of [...this.open.keys()]) this.settle(id)?.reject(error);
  }

  private died(cause: Error): Error {
    return this.options.diedError?.(cause) ?? cause;
  }

  private closedError(): Error {
    return this.options.closedError?.() ?? new Error('the thread has ended');
  }
}

/** Error of a cancelled call. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason as Error;
}
