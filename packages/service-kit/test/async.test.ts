import { getMaxListeners, once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  AutoResetEvent,
  Closers,
  EventLoopYielder,
  mapInSlices,
  Mutex,
  runInSlices,
  TimeoutError,
  withController,
  withTimeout,
  yieldToEventLoop,
  type WaitClock,
} from '../src/async';

describe('Mutex', () => {
  test('runs tasks one at a time in submission order', async () => {
    const mutex = new Mutex();
    const steps: string[] = [];
    const task = (name: string) => async () => {
      steps.push(`${name} begins`);
      await yieldToEventLoop();
      steps.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all([mutex.run(task('a')), mutex.run(task('b')), mutex.run(task('c'))]);
    expect(results).toEqual(['a', 'b', 'c']);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('runs the next task after a failed one', async () => {
    const mutex = new Mutex();
    const thrown = mutex.run(() => {
      throw new Error('thrown');
    });
    const rejected = mutex.run(() => Promise.reject(new Error('rejected')));
    const next = mutex.run(() => 'next');
    await expect(thrown).rejects.toThrow('thrown');
    await expect(rejected).rejects.toThrow('rejected');
    await expect(next).resolves.toBe('next');
  });
});

describe('AutoResetEvent', () => {
  const never = new AbortController().signal;
  /** Whether the promise has settled once pending callbacks have run. */
  async function isSettled(promise: Promise<void>): Promise<boolean> {
    let settled = false;
    void promise.then(() => (settled = true));
    await yieldToEventLoop();
    return settled;
  }

  test('stays set until one waiter has consumed it', async () => {
    const event = new AutoResetEvent();
    event.set();
    event.set();
    expect(await isSettled(event.wait(never))).toBe(true);
    expect(await isSettled(event.wait(never))).toBe(false);
  });

  test('wakes one waiter per set, in FIFO order', async () => {
    const event = new AutoResetEvent();
    const woken: number[] = [];
    const waits = [1, 2].map((number) => event.wait(never).then(() => woken.push(number)));
    event.set();
    await yieldToEventLoop();
    expect(woken).toEqual([1]);
    event.set();
    await Promise.all(waits);
    expect(woken).toEqual([1, 2]);
  });

  test('an aborted wait ends and does not consume a later set', async () => {
    const event = new AutoResetEvent();
    const abort = new AbortController();
    const aborted = event.wait(abort.signal);
    abort.abort();
    await aborted;
    event.set();
    expect(await isSettled(event.wait(never))).toBe(true);
  });

  test('a limited wait ends with the clock, the event or the signal', async () => {
    const event = new AutoResetEvent();
    let fire: () => void = () => undefined;
    const requested: number[] = [];
    const clock: WaitClock = {
      wait: (milliseconds) => {
        requested.push(milliseconds);
        return new Promise((resolve) => (fire = resolve));
      },
    };
    const timed = event.waitFor(250, clock, never);
    expect(await isSettled(timed)).toBe(false);
    fire();
    await timed;
    const set = event.waitFor(251, clock, never);
    event.set();
    await set;
    const abort = new AbortController();
    const aborted = event.waitFor(252, clock, abort.signal);
    abort.abort();
    await aborted;
    expect(requested).toEqual([250, 251, 252]);
  });
});

describe('EventLoopYielder', () => {
  test('yields to the event loop when the time slice is used up', async () => {
    let ran = false;
    setImmediate(() => (ran = true));
    const yielder = new EventLoopYielder(0);
    expect(yielder.isDue).toBe(true);
    await yielder.yieldIfDue();
    expect(ran).toBe(true);
  });

  test('does not yield within the time slice', async () => {
    let ran = false;
    setImmediate(() => (ran = true));
    const yielder = new EventLoopYielder(Infinity);
    await yielder.yieldIfDue();
    expect([yielder.isDue, ran]).toEqual([false, false]);
  });

  test('concurrent ones continue one per iteration of the event loop', async () => {
    const steps: string[] = [];
    const work = ['a', 'b', 'c'].map(async (name) => {
      await new EventLoopYielder(0).yieldIfDue();
      steps.push(name);
    });
    for (const _ of work) {
      await yieldToEventLoop();
      steps.push('|');
    }
    await Promise.all(work);
    expect(steps.join('')).toBe('a|b|c|');
  });

  test('a yield throws the reason of an aborted signal', async () => {
    const abort = new AbortController();
    setImmediate(() => abort.abort(new RangeError('stopped')));
    await expect(new EventLoopYielder(0).yieldIfDue(abort.signal)).rejects.toThrow('stopped');
    await new EventLoopYielder(Infinity).yieldIfDue(abort.signal);
  });

  test('starts a new slice after a yield', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const yielder = new EventLoopYielder(10);
      now.mockReturnValue(10);
      expect(yielder.isDue).toBe(true);
      await yielder.yieldIfDue();
      expect(yielder.isDue).toBe(false);
    } finally {
      now.mockRestore();
    }
  });

  test('runs a generator to its result', async () => {
    function* work(): Generator<void, number> {
      let sum = 0;
      for (let i = 1; i <= 100; i++) {
        sum += i;
        yield;
      }
      return sum;
    }
    await expect(runInSlices(work())).resolves.toBe(5050);
  });
});

describe('Closers', () => {
  test('closes in reverse order and waits for each closer', async () => {
    const closers = new Closers();
    const closed: string[] = [];
    closers.add('first', () => closed.push('first'));
    const resource = { name: 'second' };
    const used = closers.use('second', resource, async ({ name }) => {
      await yieldToEventLoop();
      closed.push(name);
    });
    closers.add('third', () => closed.push('third'));
    await closers.closeAll();
    expect(used).toBe(resource);
    expect(closed).toEqual(['third', 'second', 'first']);
  });

  test('continues after closers that throw or reject and reports all failures', async () => {
    const closers = new Closers();
    const cause = new Error('port lost');
    let saved = false;
    closers.add('the wallet', () => (saved = true));
    closers.add('the hooks', () => Promise.reject(new Error('not saved', { cause: new Error('disk full') })));
    closers.add('the server', () => {
      throw cause;
    });
    const failure: unknown = await closers.closeAll().catch((error: unknown) => error);
    expect(saved).toBe(true);
    expect(failure).toBeInstanceOf(AggregateError);
    const { message, errors } = failure as AggregateError;
    expect(message).toBe('closing the server failed: port lost; closing the hooks failed: disk full');
    expect((errors as Error[]).map((error) => error.cause === cause)).toEqual([true, false]);
  });

  test('concurrent calls share one close; a later call closes only what was added since', async () => {
    const closers = new Closers();
    let count = 0;
    closers.add('one', async () => {
      await yieldToEventLoop();
      count += 1;
    });
    const [first, second] = [closers.closeAll(), closers.closeAll()];
    expect(second).toBe(first);
    await first;
    await closers.closeAll();
    expect(count).toBe(1);
    closers.add('late', () => (count += 10));
    await closers.closeAll();
    expect(count).toBe(11);
  });

  test('closes resources that are added during the close', async () => {
    const closers = new Closers();
    let closed = false;
    closers.add('one', () => closers.add('late', () => (closed = true)));
    await closers.closeAll();
    expect(closed).toBe(true);
  });

  test('throws the error of a failed start, together with those of failed closers', async () => {
    const closers = new Closers();
    const error = new RangeError('no port');
    await expect(closers.closeAfter(error)).rejects.toBe(error);
    closers.add('the wallet', () => Promise.reject(new Error('disk full')));
    await expect(closers.closeAfter(error)).rejects.toThrow('no port; closing the wallet failed: disk full');
  });
});

test('mapInSlices maps in order and yields to timers', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const spin = (item: number): number => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    return item * 2;
  };
  expect(await mapInSlices(new Set(Array(50).keys()), spin)).toEqual(Array.from({ length: 50 }, (_, i) => i * 2));
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(0);
});

test('a signal retains nothing of the work that it could have aborted', async () => {
  const { signal } = new AbortController();
  const listening = jest.spyOn(signal, 'addEventListener');
  const removed: unknown[] = [];
  jest.spyOn(signal, 'removeEventListener').mockImplementation((_type, listener) => void removed.push(listener));
  await withTimeout(60_000, [signal, undefined], () => Promise.resolve());
  await expect(withTimeout(60_000, [signal], () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(removed).toEqual(listening.mock.calls.map(([, listener]) => listener));
  expect(removed).toHaveLength(2);
});

test('any number of concurrent requests share a signal without a warning', async () => {
  const { signal } = new AbortController();
  await withController([signal], () => Promise.resolve());
  expect(getMaxListeners(signal)).toBe(Infinity);
});

test('work ends with the first of several signals, with its reason', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const work = withController([first.signal, second.signal], async ({ signal }) => {
    await once(signal, 'abort');
    return signal.reason as unknown;
  });
  second.abort('second');
  first.abort('first');
  expect(await work).toBe('second');
  expect(await withController([first.signal], ({ signal }) => Promise.resolve(signal.aborted))).toBe(true);
});

test('a timeout aborts work also after a garbage collection, and replaces its error', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const work = withTimeout(50, [new AbortController().signal], async (signal) => {
    const aborted = once(signal, 'abort');
    await yieldToEventLoop();
    collect();
    await aborted;
    throw new Error('interrupted');
  });
  await expect(work).rejects.toEqual(new TimeoutError('did not finish within 0.05 s'));
});
