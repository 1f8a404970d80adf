import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { collectStartGarbage } from '../garbage';
import {
  type Argument,
  type CallName,
  type ErrorRegistry,
  type EventName,
  type FromThread,
  type Packed,
  plainError,
  post,
  type Result,
  type ThreadShape,
  type ToThread,
  unpack,
} from './protocol';

export interface CallContext {
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal;
  /**
   * For work that never yields to the event loop: reads the pending messages.
   * @throws the signal's reason if the call was cancelled
   */
  readonly throwIfCancelled: () => void;
}

/** Functions for the service inside a thread. */
export interface ThreadDependencies<S extends ThreadShape> {
  readonly emit: <N extends EventName<S>>(name: N, value: S['events'][N]) => void;
  /** Fails all open and later calls with an error. */
  readonly fail: (error: Error) => void;
}

export interface ThreadService<S extends ThreadShape> {
  readonly ready: S['ready'];
  readonly calls: {
    readonly [N in CallName<S>]: (
      argument: Argument<S, N>,
      context: CallContext,
    ) => Result<S, N> | Promise<Result<S, N>>;
  };
  /** Called once; no call is started after it. Running calls may end meanwhile. */
  close(): unknown;
}

/** Default difference of the nice value to the main thread. */
const NICE_DIFFERENCE = 10;

/**
 * The main function of a worker file: starts the service and runs the calls in FIFO order, asynchronous ones concurrently. An
 * error of the start is reported to the owner and ends the thread.
 */
export function serveThread<S extends ThreadShape>(
  start: (setup: S['setup'], dependencies: ThreadDependencies<S>) => ThreadService<S> | Promise<ThreadService<S>>,
  errors: ErrorRegistry = [],
  niceDifference = NICE_DIFFERENCE,
): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is the main file of a worker thread');
  lowerPriority(niceDifference);
  const report = (message: FromThread): void => post(port, message);
  const dependencies: ThreadDependencies<S> = {
    emit: (name, value) => report({ kind: 'event', name, value }),
    fail: (error) => report({ kind: 'failed', error: plainError(error, errors) }),
  };
  const setup = unpack<S['setup']>(workerData as Packed);
  void (async () => {
    try {
      const service = await start(setup, dependencies);
      new CallServer(port, service, errors).listen();
      report({ kind: 'ready', value: service.ready });
      collectStartGarbage();
    } catch (error) {
      report({ kind: 'failed', error: plainError(error, errors) });
      port.close();
    }
  })();
}

/**
 * The main thread serves clients and must not wait for a processor that a worker keeps busy. On Linux each thread has its own
 * priority, 0 is the calling thread, and its threads (the native pool) inherit it; other systems have one for the process.
 */
function lowerPriority(niceDifference: number): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(19, getPriority(0) + niceDifference));
  } catch {
    // Without the permission the priority is unchanged.
  }
}

/** A service without types. */
interface AnyService {
  readonly calls: Readonly<Record<string, (argument: unknown, context: CallContext) => unknown>>;
  close(): unknown;
}

type Call = Extract<ToThread, { kind: 'call' }>;
type Close = Extract<ToThread, { kind: 'close' }>;

/** Starts calls in FIFO order; `close` is in the same queue, so earlier calls are started. */
class CallServer {
  /** Received, not started. */
  private queued: (Call | Close)[] = [];
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
      this.startQueued();
    });
  }

  private startQueued(): void {
    for (;;) {
      // A cancellation may follow its call: read all messages first.
      this.readMessages();
      const next = this.queued.shift();
      if (next === undefined) return;
      if (next.kind === 'close') return void this.close();
      this.run(next);
    }
  }

  /** @returns whether there was a message */
  private readMessages(): boolean {
    for (let any = false; ; any = true) {
      const arrived = receiveMessageOnPort(this.port) as { message: Packed } | undefined;
      if (arrived === undefined) return any;
      this.take(unpack<ToThread>(arrived.message));
    }
  }

  /** Called by a running call. Other calls read here are started when it yields to the event loop. */
  private checkCancel(): void {
    if (this.readMessages()) setImmediate(() => this.startQueued());
  }

  private take(message: ToThread): void {
    if (message.kind === 'cancel') this.cancel(message.id);
    else this.queued.push(message);
  }

  private cancel(id: number): void {
    const reason = new DOMException('the call was cancelled', 'AbortError');
    this.running.get(id)?.abort(reason);
    const others = this.queued.filter((item) => item.kind === 'close' || item.id !== id);
    if (others.length < this.queued.length) this.refuse(id, reason);
    this.queued = others;
  }

  private run({ id, name, argument }: Call): void {
    const context = new RunningCall(() => this.checkCancel());
    // Registered before the call runs, because it may check for its own cancellation.
    this.running.set(id, context);
    void this.respond(id, name, argument, context);
  }

  private async respond(id: number, name: string, argument: unknown, context: CallContext): Promise<void> {
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

/** A running call. Most never use the signal, so it is created on demand. */
class RunningCall implements CallContext {
  private controller: AbortController | undefined;
  private reason: Error | undefined;

  constructor(private readonly checkCancel: () => void) {}

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason !== undefined) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  readonly throwIfCancelled = (): void => {
    this.checkCancel();
    if (this.reason !== undefined) throw this.reason;
  };

  abort(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }
}
