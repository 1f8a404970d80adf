import { serveThread } from '../../src/base';
import { BUSY_ERRORS, type BusyThread, Refused } from './busy-protocol';

/** A thread with scripted calls: they return, wait, block the thread, fail, or end it. */
serveThread<BusyThread>(async ({ start }, { emit, fail }) => {
  if (start === 'throws') throw new Refused('not today', { code: 7, why: Buffer.from('dark') });
  if (start === 'dies') await new Promise(() => setImmediate(() => void Promise.reject(new Error('stillborn'))));
  if (start === 'exits') process.exit(3);
  const held = new Set<() => void>();
  let begun = 0;
  return {
    ready: { thread: process.pid },
    calls: {
      echo: (value) => value,
      count: () => ++begun,
      /** Waits for `release`, a cancellation or the close. */
      hold: (label, { signal }) => {
        emit('holding', label);
        return new Promise<string>((resolve, reject) => {
          held.add(() => resolve(label));
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
      release: () => {
        for (const go of held) go();
        held.clear();
      },
      /** Blocks the event loop until cancelled. */
      spin: (_nothing, { throwIfCancelled }) => {
        emit('holding', 'spin');
        for (;;) throwIfCancelled();
      },
      look: async (_nothing, { throwIfCancelled }) => {
        emit('holding', 'look');
        await new Promise(setImmediate);
        // Blocks the event loop, so that messages of the owner arrive during this iteration.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
        throwIfCancelled();
        return 'looked';
      },
      refuse: (kind) => {
        if (kind === 'unsendable') throw new Refused('no', { code: 1, why: (() => 1) as never });
        if (kind === 'bare') throw Object.create(null);
        if (kind === 'range') throw new RangeError('too far');
        if (kind === 'text') throw 'just words'; // eslint-disable-line @typescript-eslint/only-throw-error
        if (kind === 'unknown') throw Object.assign(new Error('who knows'), { name: 'OddError' });
        throw new Refused('no', { code: 5n, why: Buffer.from('because') });
      },
      unsendable: () => () => 1,
      giveUp: () => fail(new Refused('the disk is full', { code: 1, why: Buffer.alloc(0) })),
      die: () => new Promise<void>(() => setImmediate(() => void Promise.reject(new Error('a bug')))),
      dieOfNothing: () =>
        new Promise<void>(() =>
          setImmediate(() => {
            throw null; // eslint-disable-line @typescript-eslint/only-throw-error
          }),
        ),
      leave: () => process.exit(4),
    },
    close: () => {
      emit('closing', undefined);
      for (const go of held) go();
    },
  };
}, BUSY_ERRORS);
