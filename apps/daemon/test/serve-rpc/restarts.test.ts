import childProcess, { type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createMemoryLogger, RequestCounters } from '@wrkz/service-kit';
import { readConfig } from '../../src/config/config';
import { type FromProcess, RpcProcesses } from '../../src/serve-rpc/processes';

/* The supervision of reader processes, without processes and with fake timers. */

/** A process that only records its messages. */
class FakeProcess extends EventEmitter {
  readonly connected = true;
  readonly sent: { readonly kind: string; readonly options?: object }[] = [];
  readonly kill = jest.fn();

  constructor(readonly pid: number) {
    super();
  }

  send(message: FakeProcess['sent'][number]): void {
    this.sent.push(message);
  }

  report(message: FromProcess): void {
    this.emit('message', message);
  }
}

let started: FakeProcess[];
beforeEach(() => {
  jest.useFakeTimers();
  started = [];
  jest.spyOn(childProcess, 'fork').mockImplementation(() => {
    const child = new FakeProcess(started.length + 1);
    started.push(child);
    return child as unknown as ChildProcess;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

async function supervise(args: readonly string[] = []) {
  const logger = createMemoryLogger('debug');
  const stopping = new AbortController();
  const counters = new RequestCounters();
  const config = readConfig(['--network', 'devnet', '--data-dir', '/nowhere', ...args]);
  const http = { servers: [] };
  const processes = new RpcProcesses({
    ...{ config, socket: '/nowhere/node.sock', http, counters, logger, stopping: stopping.signal },
  });
  const starting = processes.start(1);
  started[0]?.report({ kind: 'ready' });
  await starting;
  return { processes, logger, stopping, counters };
}

/** Ends the newest process. @returns milliseconds until the next one is started */
function restartDelay(): number {
  const before = started.length;
  const endedAt = performance.now();
  started.at(-1)?.emit('exit', 1, null);
  while (started.length === before && performance.now() - endedAt < 120_000) jest.advanceTimersToNextTimer();
  return Math.round(performance.now() - endedAt);
}

test('the delay of a restart doubles up to 30 seconds; after a stable run it is 0, and then 1 second again', async () => {
  await supervise();
  expect(Array.from({ length: 7 }, restartDelay)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  jest.advanceTimersByTime(60_001);
  expect([restartDelay(), restartDelay()]).toEqual([0, 1000]);
});

test('no process is started again once the node stops', async () => {
  const { processes, stopping } = await supervise();
  started[0]?.emit('exit', 1, null);
  stopping.abort();
  await processes.stop();
  jest.advanceTimersByTime(120_000);
  expect(started).toHaveLength(1);
});

test('a process that ends during the stop is not started again; one that does not end is killed after 5 seconds', async () => {
  const { processes, stopping, logger } = await supervise();
  const [child] = started;
  stopping.abort();
  const stopped = processes.stop();
  expect(child?.sent.at(-1)).toEqual({ kind: 'stop' });
  jest.advanceTimersByTime(4_999);
  expect(child?.kill).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  expect(child?.kill).toHaveBeenCalledWith('SIGKILL');
  child?.emit('exit', null, 'SIGKILL');
  await stopped;
  jest.advanceTimersByTime(120_000);
  expect([started.length, processes.pids]).toEqual([1, []]);
  expect(logger.lines.join('\n')).toContain('does not stop and is killed');
});

test('requests of a process are added to the counters of the node', async () => {
  const { counters } = await supervise();
  counters.byStatus.set(200, 1);
  for (let i = 0; i < 2; i++) {
    const byStatus: [number, number][] = [
      [200, 3],
      [404, 2],
    ];
    started[0]?.report({ kind: 'counts', requests: 5, compressed: 4, byStatus });
  }
  expect([counters.requests, counters.compressed, counters.count(200), counters.count(404)]).toEqual([10, 8, 7, 4]);
});

test('log lines of a process have its name, and the part of the process that logged them', async () => {
  const { logger } = await supervise();
  const entry = { time: 0, level: 'info', message: 'hello', fields: {} } as const;
  for (const part of ['', 'p2p'])
    started[0]?.report({
      kind: 'log',
      entry: { ...entry, part } as unknown as (FromProcess & { kind: 'log' })['entry'],
    });
  expect(logger.lines.filter((line) => line.includes('hello')).map((line) => /\[.*\]/.exec(line)?.[0])).toEqual([
    '[rpc 1]',
    expect.stringContaining('p2p'),
  ]);
});

test('a process opens neither the log file nor the socket of the node', async () => {
  await supervise(['--log-file', '/nowhere/node.log', '--rpc-ipc-path', '/nowhere/node.sock']);
  expect(started[0]?.sent[0]).toMatchObject({
    kind: 'setup',
    options: { 'log-file': '', 'rpc-ipc-path': '', 'node-socket': '/nowhere/node.sock' },
  });
});
