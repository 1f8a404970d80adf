import type { Worker } from 'node:worker_threads';
import { startThread, type WorkerEntry } from '../assets';
import { type ErrorRegistry, type PlainError, rebuiltError } from './errors';
import { pack, type Packed, transferList, unpack } from './packing';
import {
  type Argument,
  type CallName,
  type EventName,
  type FromThread,
  post,
  type Result,
  type ThreadShape,
} from './protocol';

export interface WorkerThreadOptions<S extends ThreadShape> {
  /** The worker file, which calls `serveThread`: `workerEntry(__dirname, name)`. */
  readonly entry: WorkerEntry;
  readonly setup: S['setup'];
  readonly errors?: ErrorRegistry;
  readonly onEvent?: { readonly [N in EventName<S>]: (value: S['events'][N]) => void };
  /** The thread died, or said that it can do no more, after it had been ready. Its calls have failed already. */
  readonly onFailed?: (error: Error) => void;
  /** What its calls fail with when an uncaught error ends the thread; the error itself when left out. */
  readonly diedError?: (cause: Error) => Error;
  /** What calls fail with that are open when the thread ends, or come after `close`. */
  readonly closedError?: () => Error;
}

export interface CallOptions {
  /**
   * Cancels the call: one that has not begun is dropped, a running one is told. The promise settles when the work has
   * ended, whichever way: with the signal's reason when the call was dropped or gave up.
   */
  readonly signal?: AbortSignal | undefined;
}

interface OpenCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/** A worker thread seen from the one that owns it. It packs, posts and waits; what it is about is the caller's. */
export class WorkerThread<S extends ThreadShape> {
  /** What the thread said once it served. Rejects with the error of its start. */
  readonly ready: Promise<S['ready']>;
  /** Resolves when the thread is gone. */
  readonly gone: Promise<void>;
  private readonly worker: Worker;
  private readonly open = new Map<number, OpenCall>();
  private lastId = 0;
  private serving = false;
  /** Why nothing more is taken. */
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

  /** Whether it still takes calls. */
  get alive(): boolean {
    return this.ended === undefined;
  }

  call<N extends CallName<S>>(name: N, argument: Argument<S, N>, options: CallOptions = {}): Promise<Result<S, N>> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
    const id = (this.lastId += 1);
    const answer = new Promise<unknown>((resolve, reject) => {
      const onAbort = (): void => post(this.worker, { kind: 'cancel', id });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.open.set(id, { resolve, reject, signal, onAbort });
      try {
        post(this.worker, { kind: 'call', id, name, argument });
      } catch (error) {
        this.settle(id)?.reject(error as Error);
      }
    });
    return answer;
  }

  /** Lets the calls that have begun end in the way of the service, and waits until the thread is gone. */
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
        this.serving = true;
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
    if (this.serving) return this.fail(error);
    this.startError = error;
    void this.worker.terminate();
  }

  private onDeath(thrown: unknown): void {
    // What crossed the thread's end is rebuilt by Node.js and may belong to another realm, so its shape has to do.
    const isError = typeof thrown === 'object' && thrown !== null && 'message' in thrown;
    const error = isError ? (thrown as Error) : new Error(String(thrown));
    if (this.serving) this.fail(this.died(error));
    else this.startError ??= error;
  }

  /** A start that failed is reported here, when the thread is gone, so that what it held is free again. */
  private onExit(code: number): void {
    const error = new Error(`the thread ended with code ${String(code)}`);
    if (!this.closing) this.fail(this.serving ? this.died(error) : (this.startError ?? error));
    const why = this.ended ?? error;
    this.rejectReady(why);
    this.rejectAll(why);
  }

  private fail(error: Error): void {
    if (this.ended !== undefined) return;
    this.ended = error;
    this.rejectAll(error);
    if (this.serving) this.options.onFailed?.(error);
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

/** What a cancelled call fails with. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason as Error;
}
