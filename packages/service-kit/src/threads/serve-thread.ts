import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type ErrorRegistry, plainError } from './errors';
import { type Packed, unpack } from './packing';
import {
  type Argument,
  type CallName,
  type EventName,
  type FromThread,
  post,
  type Result,
  type ThreadShape,
  type ToThread,
} from './protocol';

/** What a running call may ask about itself. */
export interface CallContext {
  /** Fires when the caller no longer wants the result. */
  readonly signal: AbortSignal;
  /**
   * For work that never lets the event loop go on: looks whether a cancellation has arrived.
   * @throws the signal's reason when it has
   */
  readonly throwIfCancelled: () => void;
}

/** What the service inside a thread may say unasked. */
export interface ThreadSurroundings<S extends ThreadShape> {
  readonly emit: <N extends EventName<S>>(name: N, value: S['events'][N]) => void;
  /** The service can do no more: every open and later call fails with this error. */
  readonly fail: (error: Error) => void;
}

/** The service inside a thread. */
export interface ThreadService<S extends ThreadShape> {
  readonly ready: S['ready'];
  readonly calls: {
    readonly [N in CallName<S>]: (
      argument: Argument<S, N>,
      context: CallContext,
    ) => Result<S, N> | Promise<Result<S, N>>;
  };
  /** Called once, after which no further call is taken. Calls that still run may end while it does. */
  close(): unknown;
}

/** How much later than the main thread a worker gets its turn, unless it says otherwise: as nice values count. */
const NICER = 10;

/**
 * The main function of a worker file: starts the service and serves its owner's calls in the order they came, those
 * of asynchronous functions side by side. When the start throws, the owner is told and the thread ends.
 */
export function serveThread<S extends ThreadShape>(
  start: (setup: S['setup'], surroundings: ThreadSurroundings<S>) => ThreadService<S> | Promise<ThreadService<S>>,
  errors: ErrorRegistry = [],
  nicer = NICER,
): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is the main file of a worker thread');
  giveWay(nicer);
  const report = (message: FromThread): void => post(port, message);
  const surroundings: ThreadSurroundings<S> = {
    emit: (name, value) => report({ kind: 'event', name, value }),
    fail: (error) => report({ kind: 'failed', error: plainError(error, errors) }),
  };
  const setup = unpack<S['setup']>(workerData as Packed);
  void (async () => {
    try {
      const service = await start(setup, surroundings);
      new CallServer(port, service, errors).listen();
      report({ kind: 'ready', value: service.ready });
    } catch (error) {
      report({ kind: 'failed', error: plainError(error, errors) });
      port.close();
    }
  })();
}

/**
 * The main thread answers callers and must not wait for a slice of a processor that a worker keeps busy. On Linux priorities
 * are a thread's own, 0 means the calling one, and threads that it starts (the native pool) inherit it; elsewhere they are the
 * whole process'.
 */
function giveWay(nicer: number): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(19, getPriority(0) + nicer));
  } catch {
    // Where the system refuses, the thread runs on as it is.
  }
}

/** A service whose types the protocol has checked on the other side. */
interface AnyService {
  readonly calls: Readonly<Record<string, (argument: unknown, context: CallContext) => unknown>>;
  close(): unknown;
}

type Call = Extract<ToThread, { kind: 'call' }>;
type Close = Extract<ToThread, { kind: 'close' }>;

/** Begins calls in the order they came; a close stands in the same row, so that calls before it are begun. */
class CallServer {
  /** Arrived and not begun. */
  private waiting: (Call | Close)[] = [];
  private readonly running = new Map<number, RunningCall>();
  private allEnded: (() => void) | undefined;

  constructor(
    private readonly port: MessagePort,
    private readonly service: AnyService,
    private readonly errors: ErrorRegistry,
  ) {}

  listen(): void {
    this.port.on('message', (packed: Packed) => {
      this.take(unpack<ToThread>(packed));
      this.beginWaiting();
    });
  }

  private beginWaiting(): void {
    for (;;) {
      // A cancellation may stand behind the call it means: everything that has arrived is looked at first.
      this.takeArrived();
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (next.kind === 'close') return void this.close();
      this.begin(next);
    }
  }

  /** Whether anything had arrived. */
  private takeArrived(): boolean {
    for (let any = false; ; any = true) {
      const arrived = receiveMessageOnPort(this.port) as { message: Packed } | undefined;
      if (arrived === undefined) return any;
      this.take(unpack<ToThread>(arrived.message));
    }
  }

  /** For a call that looks for its cancellation: no event tells of what is taken here, so it is begun when it lets go. */
  private lookForCancel(): void {
    if (this.takeArrived()) setImmediate(() => this.beginWaiting());
  }

  private take(message: ToThread): void {
    if (message.kind === 'cancel') this.cancel(message.id);
    else this.waiting.push(message);
  }

  private cancel(id: number): void {
    const reason = new DOMException('the call was cancelled', 'AbortError');
    this.running.get(id)?.abort(reason);
    const kept = this.waiting.filter((item) => item.kind === 'close' || item.id !== id);
    if (kept.length < this.waiting.length) this.refuse(id, reason);
    this.waiting = kept;
  }

  private begin({ id, name, argument }: Call): void {
    const context = new RunningCall(() => this.lookForCancel());
    // entered before it runs, so that a call which looks for its own cancellation is found
    this.running.set(id, context);
    void this.answer(id, name, argument, context);
  }

  private async answer(id: number, name: string, argument: unknown, context: CallContext): Promise<void> {
    try {
      const call = Object.hasOwn(this.service.calls, name) ? this.service.calls[name] : undefined;
      if (call === undefined) throw new TypeError(`the thread has no call ${name}`);
      const value = call(argument, context);
      post(this.port, { kind: 'result', id, value: value instanceof Promise ? await value : value });
    } catch (error) {
      this.refuse(id, error);
    }
    this.running.delete(id);
    if (this.running.size === 0) this.allEnded?.();
  }

  private refuse(id: number, error: unknown): void {
    try {
      post(this.port, { kind: 'error', id, error: plainError(error, this.errors) });
    } catch (unsendable) {
      post(this.port, { kind: 'error', id, error: plainError(unsendable, []) });
    }
  }

  private async close(): Promise<void> {
    try {
      await this.service.close();
      if (this.running.size > 0) await new Promise<void>((resolve) => (this.allEnded = resolve));
    } finally {
      this.port.close();
    }
  }
}

/** One call while it runs. Most are over before anybody asks for the signal, so it is made when asked for. */
class RunningCall implements CallContext {
  private controller: AbortController | undefined;
  private reason: Error | undefined;

  constructor(private readonly lookForCancel: () => void) {}

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason !== undefined) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  readonly throwIfCancelled = (): void => {
    this.lookForCancel();
    if (this.reason !== undefined) throw this.reason;
  };

  abort(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }
}
