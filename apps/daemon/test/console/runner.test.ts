import fs from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { daemonApi } from '@wrkz/api';
import type { ConsoleContext } from '../../src/console/command';
import { ConsoleRunner } from '../../src/console/runner';
import { refuse } from '../../src/rpc/errors';
import { temporaryDirectory } from '../support/temporary';

interface Held {
  readonly context: ConsoleContext;
  /** Lets the oldest `save` that runs come to its end. */
  release(error?: Error): void;
  readonly started: () => number;
}

/** A node whose `save` takes until it is let go. */
function held(): Held {
  const saves: { done: () => void; fail: (error: Error) => void }[] = [];
  let started = 0;
  const save = (): Promise<void> =>
    new Promise((done, fail) => {
      started += 1;
      saves.push({ done, fail });
    });
  const tip = (): never => {
    throw refuse(daemonApi.refusals.busy);
  };
  const context = {
    peers: { save, bans: () => [] },
    rpc: { now: () => 0, reader: { cached: tip, snapshot: tip } },
  } as unknown as ConsoleContext;
  return {
    context,
    started: () => started,
    release: (error) => {
      const first = saves.shift();
      if (error === undefined) first?.done();
      else first?.fail(error);
    },
  };
}

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

test('runs one command at a time, in FIFO order', async () => {
  const runner = new ConsoleRunner();
  const node = held();
  runner.open(node.context);
  const order: string[] = [];
  const all = ['save', 'save', 'ban list'].map((line) => runner.run(line).then(() => order.push(line)));
  await settled();
  expect([node.started(), order]).toEqual([1, []]);
  node.release();
  await settled();
  expect([node.started(), order]).toEqual([2, ['save']]);
  node.release();
  await Promise.all(all);
  expect(order).toEqual(['save', 'save', 'ban list']);
});

test('runs stop immediately while another command runs', async () => {
  const runner = new ConsoleRunner();
  const node = held();
  let stops = 0;
  runner.open({ ...node.context, requestStop: () => (stops += 1) });
  const saving = runner.run('save');
  const queued = runner.run('ban list');
  expect(await runner.run('stop')).toMatch(/EXITING/);
  expect(stops).toBe(1);
  node.release();
  expect([await saving, await queued]).toEqual(['Core state saved.\n', 'Ban list is empty.\n']);
});

test('skips a line of a disconnected client', async () => {
  const runner = new ConsoleRunner();
  const node = held();
  runner.open(node.context);
  const left = new AbortController();
  const first = runner.run('save');
  const second = runner.run('save', left.signal);
  await settled();
  left.abort();
  node.release();
  expect([await first, await second, node.started()]).toEqual(['Core state saved.\n', '', 1]);
});

test('runs nothing before open and after close; close waits for the running command', async () => {
  const runner = new ConsoleRunner();
  expect([runner.isOpen, await runner.run('help')]).toEqual([false, undefined]);
  const node = held();
  runner.open(node.context);
  const running = runner.run('save');
  const waiting = runner.run('save');
  await settled();
  let closed = false;
  const close = runner.close().then(() => (closed = true));
  await settled();
  expect(closed).toBe(false);
  node.release();
  await close;
  expect([await running, await waiting, await runner.run('help')]).toEqual([
    'Core state saved.\n',
    undefined,
    undefined,
  ]);
});

test('reports the error of a failed command, and runs the next one', async () => {
  const runner = new ConsoleRunner();
  const node = held();
  runner.open(node.context);
  const failing = runner.run('save');
  await settled();
  node.release(new Error('the disk is full'));
  expect(await failing).toBe('Command failed: the disk is full\n');
  expect(await runner.run('ban list')).toBe('Ban list is empty.\n');
});

test.each([
  ['status', 'Problem retrieving information from RPC server.\n'],
  ['height', 'Problem retrieving sync information from RPC server.\n'],
  ['prune_status', 'Problem retrieving prune status from RPC server.\n'],
])('reports that the chain cannot be read for %s', async (line, text) => {
  const runner = new ConsoleRunner();
  runner.open(held().context);
  expect(await runner.run(line)).toBe(text);
});

test('db_status skips a folder that the daemon cannot read', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'lost+found'));
  const { readdir } = fs;
  const spy = jest
    .spyOn(fs, 'readdir')
    .mockImplementation(((path: string, options: { withFileTypes: true }) =>
      path.endsWith('lost+found')
        ? Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }))
        : readdir(path, options)) as unknown as typeof readdir);
  const runner = new ConsoleRunner();
  const reader = {
    fileSpace: () => ({ pageSize: 8192, emptyPages: 0, pages: 1 }),
    floors: () => ({ bodies: 0, records: 0, lite: undefined }),
  };
  const rpc = { reader, storage: { prune: false, pruneDepth: 1 } };
  runner.open({ directory, rpc, compaction: {}, scrub: {} } as unknown as ConsoleContext);
  try {
    expect(await runner.run('db_status')).toMatch(/^DB Engine: SQLite\n[^]*\nFiles: 0\nDirectories: 1\n/);
  } finally {
    spy.mockRestore();
  }
});
