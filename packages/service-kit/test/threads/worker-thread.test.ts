import { EventEmitter, getEventListeners, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { workerEntry, WorkerThread, type WorkerThreadOptions } from '../../src';
import { BUSY_ERRORS, type BusyThread, Refused } from '../programs/busy-protocol';

const entry = workerEntry(join(__dirname, '../programs'), 'busy-thread');
const threads: WorkerThread<BusyThread>[] = [];
const started: EventEmitter<{ holding: [string]; failed: [Error]; closing: [] }> = new EventEmitter();

function start(setup: BusyThread['setup'] = {}, more: Partial<WorkerThreadOptions<BusyThread>> = {}) {
  const thread = new WorkerThread<BusyThread>({
    entry,
    setup,
    errors: BUSY_ERRORS,
    onEvent: {
      holding: (label) => started.emit('holding', label),
      closing: () => started.emit('closing'),
    },
    onFailed: (error) => started.emit('failed', error),
    ...more,
  });
  threads.push(thread);
  return thread;
}

afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.close()));
});

/** The nice value of each thread of this process, by its number. */
function niceValues(): Map<number, number> {
  const threads = readdirSync('/proc/self/task').map(Number);
  return new Map(threads.map((thread) => [thread, getPriority(thread)]));
}

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a worker gives way to the main thread, whose own turn stays', async () => {
  const before = niceValues();
  await start().ready;
  const added = [...niceValues()].filter(([thread]) => !before.has(thread)).map(([, nice]) => nice);
  expect(added).toContain(Math.min(19, (before.get(process.pid) as number) + 10));
  expect(getPriority(process.pid)).toBe(before.get(process.pid));
});

describe('calls', () => {
  test('a value is returned unchanged, bytes as Buffers at any position', async () => {
    const thread = start();
    await thread.ready;
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.bigInt(),
        fc.double(),
        fc.string(),
        fc.constantFrom(undefined, null, true),
        fc.array(tie('any')),
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          tie('any'),
          { noNullPrototype: true },
        ),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async (any) => expect(await thread.call('echo', any)).toEqual(any)),
      { numRuns: 60 },
    );
  });

  test('concurrent calls get their own results', async () => {
    const thread = start();
    const numbers = Array.from({ length: 200 }, (_, i) => i);
    expect(await Promise.all(numbers.map((i) => thread.call('echo', i)))).toEqual(numbers);
  });

  test('errors of known classes arrive with their fields, others with name, message and stack', async () => {
    const thread = start();
    const refused = await thread.call('refuse', 'refused').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ message: 'no', facts: { code: 5n, why: Buffer.from('because') } });
    await expect(thread.call('refuse', 'range')).rejects.toThrow(new RangeError('too far'));
    await expect(thread.call('refuse', 'range')).rejects.toBeInstanceOf(RangeError);
    await expect(thread.call('refuse', 'unknown')).rejects.toMatchObject({
      name: 'OddError',
      message: 'who knows',
      stack: expect.stringContaining('busy-thread'),
    });
    await expect(thread.call('refuse', 'text')).rejects.toThrow('just words');
  });

  test('an unknown name, and a result that cannot be posted, fail only the call', async () => {
    const thread = start();
    await expect(thread.call('toString' as 'count', undefined)).rejects.toThrow('the thread has no call toString');
    await expect(thread.call('unsendable', undefined)).rejects.toThrow('could not be cloned');
    expect(await thread.call('echo', 1)).toBe(1);
  });

  test('an argument that cannot be posted fails only the call and leaves nothing behind', async () => {
    const thread = start();
    const { signal } = new AbortController();
    await expect(thread.call('echo', () => 1, { signal })).rejects.toThrow('could not be cloned');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(await thread.call('echo', 1)).toBe(1);
  });

  test.each(['unsendable', 'bare'] as const)(
    'an error that cannot be posted (%s) fails only the call',
    async (kind) => {
      const thread = start();
      const held = thread.call('hold', 'a');
      await once(started, 'holding');
      await expect(thread.call('refuse', kind)).rejects.toThrow(/could not be cloned|primitive value/);
      await thread.call('release', undefined);
      expect(await held).toBe('a');
    },
  );

  test('a field with the reserved name is never interpreted as bytes', async () => {
    const thread = start();
    const forged = { '\u0000bytes': [0, 1000], real: Buffer.from('abc') };
    await expect(thread.call('echo', forged)).rejects.toThrow(
      new TypeError('a field has the name that is reserved for bytes'),
    );
    expect(await thread.call('echo', 1)).toBe(1);
  });
});

describe('cancellation', () => {
  test('calls that arrive while another checks for its cancellation are started, and so is a close', async () => {
    const thread = start();
    const look = thread.call('look', undefined);
    await once(started, 'holding');
    const behind = thread.call('echo', 1);
    const closing = thread.close();
    expect(await look).toBe('looked');
    expect(await behind).toBe(1);
    await closing;
  });

  test('a running call gets a signal and fails with the reason of the caller', async () => {
    const thread = start();
    const stop = new AbortController();
    const call = thread.call('hold', 'a', { signal: stop.signal });
    await once(started, 'holding');
    const reason = new Error('the client has disconnected');
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await thread.call('echo', 1)).toBe(1);
  });

  test('synchronous work detects a cancellation when it checks; queued calls are removed', async () => {
    const thread = start();
    const [first, second] = [new AbortController(), new AbortController()];
    const spin = thread.call('spin', undefined, { signal: first.signal });
    await once(started, 'holding');
    const dropped = thread.call('count', undefined, { signal: second.signal });
    const after = thread.call('count', undefined);
    second.abort();
    first.abort();
    await Promise.all([expect(spin).rejects.toThrow('aborted'), expect(dropped).rejects.toThrow('aborted')]);
    expect(await after).toBe(1);
  });

  test('an aborted signal prevents the call; a late abort changes nothing', async () => {
    const thread = start();
    await expect(thread.call('count', undefined, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    const late = new AbortController();
    expect(await thread.call('count', undefined, { signal: late.signal })).toBe(1);
    late.abort();
    expect(await thread.call('count', undefined)).toBe(2);
  });
});

describe('the end of a thread', () => {
  test('close: running calls may end, later ones are rejected', async () => {
    const thread = start({}, { closedError: () => new RangeError('over') });
    const held = thread.call('hold', 'a');
    await once(started, 'holding');
    const closing = thread.close();
    await expect(thread.call('echo', 1)).rejects.toThrow('over');
    expect(await held).toBe('a');
    await closing;
    await thread.close();
    expect(thread.alive).toBe(false);
  });

  test('calls before the close are started', async () => {
    const thread = start();
    const calls = [1, 2, 3].map((value) => thread.call('echo', value));
    await thread.close();
    expect(await Promise.all(calls)).toEqual([1, 2, 3]);
  });

  test.each([
    ['an uncaught error', 'die', 'a bug'],
    ['an exit', 'leave', 'the thread ended with code 4'],
    ['a thrown nothing', 'dieOfNothing', 'null'],
  ] as const)('%s fails the open calls and is reported', async (_what, name, message) => {
    const thread = start({}, { diedError: (cause) => new RangeError(`dead: ${cause.message}`) });
    const held = thread.call('hold', 'a');
    const settled = Promise.allSettled([held]);
    await once(started, 'holding');
    const failed = once(started, 'failed');
    await expect(thread.call(name, undefined)).rejects.toThrow(`dead: ${message}`);
    expect(await settled).toMatchObject([{ reason: { message: `dead: ${message}` } }]);
    expect(await failed).toMatchObject([{ message: `dead: ${message}` }]);
    await expect(thread.call('echo', 1)).rejects.toThrow('dead');
  });

  test('after a permanent failure of the thread, open and later calls fail with its error, and it can be closed', async () => {
    const thread = start();
    const held = Promise.allSettled([thread.call('hold', 'a')]);
    const failed = once(started, 'failed');
    await Promise.allSettled([thread.call('giveUp', undefined)]);
    const [error] = (await failed) as [Error];
    expect(error).toBeInstanceOf(Refused);
    expect(await held).toMatchObject([{ reason: { message: 'the disk is full' } }]);
    await expect(thread.call('echo', 1)).rejects.toBe(error);
    const closing = once(started, 'closing');
    await thread.close();
    await closing;
  });
});

describe('a start that fails', () => {
  test.each([
    ['throws', 'not today'],
    ['dies', 'stillborn'],
    ['exits', 'the thread ended with code 3'],
  ] as const)('when it %s', async (how, message) => {
    const thread = start({ start: how });
    const early = thread.call('echo', 1).catch((error: Error) => error);
    await expect(thread.ready).rejects.toThrow(message);
    expect(await early).toMatchObject({ message });
    await thread.gone;
  });

  test('is thrown as the class that the caller distinguishes', async () => {
    await expect(start({ start: 'throws' }).ready).rejects.toMatchObject({
      facts: { code: 7, why: Buffer.from('dark') },
    });
    await expect(start({ start: 'throws' }).ready).rejects.toBeInstanceOf(Refused);
  });
});
