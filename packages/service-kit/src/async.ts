import { setMaxListeners } from 'node:events';
import { setImmediate as runSoon, setTimeout as startTimer } from 'node:timers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { errorText, rootCause } from './error-text';

/** Runs tasks one at a time, in the order in which they were submitted (FIFO). */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  /** Settles like the task. A failed task does not affect the following ones. */
  run<T>(task: () => Promise<T> | T): Promise<T> {
    const result = this.last.then(task);
    this.last = result.catch(() => undefined);
    return result;
  }
}

/** A timer that a test can replace. */
export interface WaitClock {
  /** Resolves after this number of milliseconds, or when the signal fires; never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The system timers. */
export const MACHINE_CLOCK: WaitClock = {
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
};

/** Wakes one waiter per `set()`. Without a waiter the event stays set, and the next `wait()` resolves at once. */
export class AutoResetEvent {
  private isSet = false;
  private readonly waiters = new Set<() => void>();

  set(): void {
    const [first] = this.waiters;
    if (first === undefined) this.isSet = true;
    else first();
  }

  /** Resolves when the event is set (and resets it) or when the signal fires. Waiters are served in FIFO order. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.isSet || signal.aborted) {
      this.isSet = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.waiters.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.waiters.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Like `wait`, with a maximum in milliseconds. */
  async waitFor(milliseconds: number, clock: WaitClock, signal: AbortSignal): Promise<void> {
    await withController([signal], async (controller) => {
      await Promise.race([this.wait(controller.signal), clock.wait(milliseconds, controller.signal)]);
      controller.abort();
    });
  }
}

/**
 * Runs work with a controller that each of the signals aborts, too. Not `AbortSignal.any`: in Node.js 20 a signal retains some 50 bytes
 * for each of its uses there, forever.
 */
export async function withController<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (controller: AbortController) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = ({ target }: { readonly target: unknown }): void => controller.abort((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) abort({ target: signal });
    // Many concurrent requests share a signal: Node.js warns from the eleventh listener on.
    setMaxListeners(Infinity, signal);
    signal.addEventListener('abort', abort);
  }
  try {
    return await work(controller);
  } finally {
    for (const signal of signals) signal?.removeEventListener('abort', abort);
  }
}

/** The work of `withTimeout` did not finish in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Runs work with a signal that aborts with one of the signals, or after a number of milliseconds. Not `AbortSignal.timeout`: in Node.js 20
 * it may be collected as garbage before it fires.
 * @throws TimeoutError if the work fails after the timeout; its own error otherwise
 */
export function withTimeout<T>(
  milliseconds: number,
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withController(signals, async (controller) => {
    const timeout = new TimeoutError(`did not finish within ${milliseconds / 1000} s`);
    const timer = startTimer(() => controller.abort(timeout), milliseconds).unref();
    try {
      return await work(controller.signal);
    } catch (error) {
      throw controller.signal.reason === timeout ? timeout : error;
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Lets pending I/O and timers run before the caller continues. @throws the reason of a signal that was aborted by then */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

/** Settles like the promise, or rejects with the signal's reason when it aborts. The work itself continues. */
export function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

const DEFAULT_SLICE_MS = 10;

/** Resume the callers of `EventLoopYielder` that wait, in order. */
const waiting: (() => void)[] = [];

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) runSoon(resumeNext);
}

/**
 * Splits long synchronous work: `await yieldIfDue()` between its steps yields once per time slice. Of all callers one continues per
 * iteration of the event loop: otherwise 40 concurrent ones would block it for 40 slices.
 */
export class EventLoopYielder {
  private sliceStart = performance.now();

  /** @param sliceMs milliseconds of work between two yields */
  constructor(private readonly sliceMs = DEFAULT_SLICE_MS) {}

  /** Whether the time slice is used up. A loop of very small steps checks it first to avoid the `await`. */
  get isDue(): boolean {
    return performance.now() - this.sliceStart >= this.sliceMs;
  }

  /** @throws the reason of a signal that was aborted by the end of a yield */
  async yieldIfDue(signal?: AbortSignal): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) runSoon(resumeNext);
    });
    signal?.throwIfAborted();
    this.sliceStart = performance.now();
  }
}

/** Runs a generator to its end and yields to the event loop at its `yield` points, once per time slice. */
export async function runInSlices<T>(work: Generator<void, T>): Promise<T> {
  const yielder = new EventLoopYielder();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (yielder.isDue) await yielder.yieldIfDue();
  }
}

/** Reading the clock after each item would take longer than a small item does. */
const ITEMS_PER_CLOCK = 16;

/** Maps items with a synchronous function, and yields to the event loop between items once per time slice. */
export async function mapInSlices<T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const yielder = new EventLoopYielder();
  const results: R[] = [];
  for (const item of items) {
    if (results.push(map(item)) % ITEMS_PER_CLOCK === 0 && yielder.isDue) await yielder.yieldIfDue();
  }
  return results;
}

type Close = () => unknown;

interface Closable {
  close(): unknown;
}

/**
 * Closes the resources of a program in reverse order. After a failed closer the following ones still run: the wallet is saved
 * even if the HTTP server cannot be closed.
 */
export class Closers {
  private readonly entries: { readonly name: string; readonly close: Close }[] = [];
  private closing: Promise<void> | undefined;

  /** @param name for the error message, e.g. `the HTTP server` @param close awaited; runs once */
  add(name: string, close: Close): void {
    this.entries.push({ name, close });
  }

  /** Adds a resource and returns it. @param close default: its method `close` */
  use<T extends Closable | undefined>(name: string, resource: T): T;
  use<T>(name: string, resource: T, close: (resource: T) => unknown): T;
  use<T>(name: string, resource: T, close?: (resource: T) => unknown): T {
    this.add(name, () => (close === undefined ? (resource as Closable | undefined)?.close() : close(resource)));
    return resource;
  }

  /**
   * Runs all closers, those added meanwhile included. A call during another one shares its result.
   * @throws AggregateError with one error per failed closer, after all have run
   */
  closeAll(): Promise<void> {
    this.closing ??= this.run().finally(() => (this.closing = undefined));
    return this.closing;
  }

  /**
   * Closes everything after a failed start.
   * @throws the given error; if a closer fails too, an AggregateError of both
   */
  async closeAfter(startError: unknown): Promise<never> {
    try {
      await this.closeAll();
    } catch (error) {
      throw new AggregateError([startError, error], `${errorText(startError)}; ${errorText(error)}`);
    }
    throw startError;
  }

  private async run(): Promise<void> {
    const failures: Error[] = [];
    for (let entry = this.entries.pop(); entry !== undefined; entry = this.entries.pop()) {
      try {
        await entry.close();
      } catch (error) {
        failures.push(new Error(`closing ${entry.name} failed: ${errorText(rootCause(error))}`, { cause: error }));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  }
}
