import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { FairQueue, ThreadPool, workerEntry } from '../../src';
import { BUSY_ERRORS, type BusyThread } from '../programs/busy-protocol';

const pools: ThreadPool<BusyThread>[] = [];

function start(
  size: number,
  capacity = 100,
  setup: BusyThread['setup'] = {},
  lanes: Readonly<Record<string, number>> = { all: Infinity },
): ThreadPool<BusyThread> {
  const pool = new ThreadPool<BusyThread>({
    thread: { entry: workerEntry(join(__dirname, '../programs'), 'busy-thread'), setup, errors: BUSY_ERRORS },
    size,
    queue: new FairQueue({ lanes, capacity, capacityPerOwner: () => capacity }),
    busyError: () => new Error('busy'),
    closedError: () => new Error('shutting down'),
  });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

test('returns the result of every call, using all threads', async () => {
  const pool = start(3);
  const numbers = Array.from({ length: 50 }, (_, i) => i);
  expect(await Promise.all(numbers.map((i) => pool.call('echo', i)))).toEqual(numbers);
});

test('runs one call at a time per thread, in FIFO order, up to the capacity', async () => {
  const pool = start(1, 2);
  const order: number[] = [];
  const stop = new AbortController();
  const spin = pool.call('spin', undefined, { signal: stop.signal });
  const waiting = [1, 2].map((i) => pool.call('echo', i).then(() => order.push(i)));
  expect(pool.waiting).toBe(2);
  await expect(pool.call('echo', 3)).rejects.toThrow('busy');
  stop.abort();
  await expect(spin).rejects.toThrow('aborted');
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
});

test('a cancelled queued call frees its slot and never reaches a thread', async () => {
  const pool = start(1, 1);
  const [running, queued] = [new AbortController(), new AbortController()];
  const spin = pool.call('spin', undefined, { signal: running.signal });
  const dropped = pool.call('count', undefined, { signal: queued.signal });
  queued.abort(new Error('the client has disconnected'));
  await expect(dropped).rejects.toThrow('the client has disconnected');
  await expect(pool.call('count', undefined, { signal: queued.signal })).rejects.toThrow('the client has disconnected');
  const next = pool.call('count', undefined);
  running.abort();
  await expect(spin).rejects.toThrow('aborted');
  expect(await next).toBe(1);
});

test('calls remove their listener from a signal that is used longer', async () => {
  const pool = start(1);
  const { signal } = new AbortController();
  const calls = [1, 2, 3].map((i) => pool.call('echo', i, { signal }));
  expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
  expect(await Promise.all(calls)).toEqual([1, 2, 3]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each(['die', 'leave'] as const)('a thread that dies (%s) fails only its call and is replaced', async (name) => {
  const pool = start(1);
  const [dead, after] = await Promise.allSettled([pool.call(name, undefined), pool.call('count', undefined)]);
  expect(dead.status).toBe('rejected');
  expect(after).toEqual({ status: 'fulfilled', value: 1 });
  expect(await pool.call('count', undefined)).toBe(2);
});

test('threads that cannot start fail the calls with the reason', async () => {
  const pool = start(2, 100, { start: 'throws' });
  const settled = await Promise.allSettled([1, 2, 3].map((i) => pool.call('echo', i)));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await expect(pool.call('echo', 4)).rejects.toThrow('not today');
});

test('a call queued behind one whose thread could not start fails too, instead of waiting for the next call', async () => {
  const pool = start(1, 100, { start: 'throws' });
  const settled = await Promise.allSettled([1, 2, 3].map((i) => pool.call('echo', i)));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

test('a thread that reports a permanent failure is ended and replaced', async () => {
  const pool = start(1);
  await Promise.allSettled([pool.call('giveUp', undefined)]);
  expect(await pool.call('count', undefined)).toBe(1);
});

test('close: running calls may end, queued and later ones are rejected', async () => {
  const pool = start(1);
  const held = pool.call('hold', 'a');
  const waiting = pool.call('echo', 1).catch((error: Error) => error.message);
  const closing = pool.close();
  expect(await waiting).toBe('shutting down');
  await expect(pool.call('echo', 2)).rejects.toThrow('busy');
  expect(await held).toBe('a');
  await closing;
});

test('a limited lane leaves threads to others, and runs again after its call has ended', async () => {
  const pool = start(2, 100, {}, { light: Infinity, heavy: 1 });
  const [running, left] = [new AbortController(), new AbortController()];
  const heavy = pool.call('spin', undefined, { lane: 'heavy', signal: running.signal });
  const next = pool.call('spin', undefined, { lane: 'heavy', signal: left.signal });
  const last = pool.call('echo', 'heavy', { lane: 'heavy' });
  expect(await pool.call('echo', 'light')).toBe('light');
  expect(pool.waiting).toBe(2);
  running.abort();
  await expect(heavy).rejects.toThrow('aborted');
  left.abort();
  await expect(next).rejects.toThrow('aborted');
  expect(await last).toBe('heavy');
});

test('rejects a call that loses its slot to another owner', async () => {
  const pool = start(1, 2);
  const stop = new AbortController();
  const spin = pool.call('spin', undefined, { signal: stop.signal });
  const greedy = [1, 2].map((i) => pool.call('echo', i, { owner: 'greedy' }));
  const modest = pool.call('echo', 3, { owner: 'modest' });
  await expect(greedy[1]).rejects.toThrow('busy');
  stop.abort();
  await expect(spin).rejects.toThrow('aborted');
  expect(await Promise.all([greedy[0], modest])).toEqual([1, 3]);
});
