import childProcess, { execFile, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { createMemoryLogger, type MemoryLogger, RequestCounters } from '@wrkz/service-kit';
import { Suite, type SuiteNode } from '@wrkz/testing';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { RpcProcesses } from '../../src/serve-rpc/processes';
import { exercises } from '../support/exercises';

/* Reader processes that share the RPC port of a node (--rpc-processes). */

exercises('rpc-processes');

const loggers: MemoryLogger[] = [];
const suite = new Suite((args) => {
  const logger = createMemoryLogger('warning');
  loggers.push(logger);
  return Daemon.create(readConfig(args), {
    logger,
    stream: new PassThrough().resume() as unknown as NodeJS.WriteStream,
  });
});
afterAll(() => suite.stopAll());

let node: SuiteNode<Daemon>;
let tokenFile: string;
let socketPath: string;
let nodeLogger: MemoryLogger | undefined;

beforeAll(async () => {
  const folder = suite.folder();
  tokenFile = join(folder, 'token');
  socketPath = join(folder, 'node.sock');
  writeFileSync(tokenFile, 'first-token', { mode: 0o600 });
  node = await suite.node({
    from: await suite.chainA(),
    args: [
      ...['--rpc-processes', '2', '--rpc-ipc-path', socketPath, '--rpc-access-token-file', tokenFile],
      ...['--rpc-ipc-require-token', '--enable-websocket', '--enable-metrics'],
    ],
  });
  nodeLogger = loggers.at(-1);
});

const pids = (): number[] => node.daemon.parts.rpcProcesses?.pids ?? [];
const url = (): string => `http://127.0.0.1:${String(node.daemon.ports.rpc)}`;

/**
 * Sends requests from another program, one connection each. This process, with the node, is blocked during them, so only the
 * reader processes can respond.
 */
function whileNodeIsBlocked(count: number, token: string): string[] {
  const program = `
    const request = () => fetch('${url()}/json_rpc', { method: 'POST', headers: { 'x-api-key': '${token}', connection: 'close' },
      body: '{"jsonrpc":"2.0","id":1,"method":"getblockcount"}' }).then(async (response) => response.status + ' ' + await response.text());
    Promise.all(Array.from({ length: ${String(count)} }, request)).then((all) => console.log(JSON.stringify(all)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', timeout: 60_000 });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

const COUNT = '200 {"result":{"count":721,"status":"OK"},"id":1,"jsonrpc":"2.0"}';

async function get(path: string): Promise<string> {
  const response = await fetch(url() + path, { headers: { 'x-api-key': 'first-token', connection: 'close' } });
  return `${String(response.status)} ${await response.text()}`;
}

test('the processes respond while the node is busy', () => {
  expect(pids()).toHaveLength(2);
  expect(new Set(whileNodeIsBlocked(20, 'first-token'))).toEqual(new Set([COUNT]));
});

test('every connection gets the same responses, also for what only the node knows', async () => {
  for (const path of ['/height', '/peers', '/fee', '/nothing']) {
    const responses = await Promise.all(Array.from({ length: 12 }, () => get(path)));
    expect([path, new Set(responses).size]).toEqual([path, 1]);
  }
  const refused = await Promise.all(Array.from({ length: 12 }, () => fetch(`${url()}/height`)));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
});

test('the metrics of the node count the requests of the processes', async () => {
  const total = async (): Promise<number> =>
    Number(/^wrkz_rpc_requests_total (\d+)$/m.exec(await get('/metrics'))?.[1] ?? NaN);
  const before = await total();
  whileNodeIsBlocked(30, 'first-token');
  // A process reports once a second.
  for (let polls = 0; (await total()) < before + 30; polls++) expect(polls).toBeLessThan(5_000);
});

test('a request that a process forwards over the local socket is counted once: the socket counts none', async () => {
  const metrics = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { 'x-api-key': 'first-token' };
      request({ socketPath, path: '/metrics', headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(Number(/^wrkz_rpc_requests_total (\d+)$/m.exec(text)?.[1])));
      })
        .on('error', reject)
        .end();
    });
  const before = await metrics();
  // More than the requests of other tests that the processes may still report.
  for (let i = 0; i < 2_000; i++) await metrics();
  expect((await metrics()) - before).toBeLessThan(2_000);
});

test('a WebSocket client is connected to the node, whichever process accepts it', async () => {
  const clients = Array.from(
    { length: 12 },
    () => new WebSocket(`${url().replace('http', 'ws')}/ws`, { headers: { 'x-api-key': 'first-token' } }),
  );
  const messages = clients.map(
    (client) => new Promise<string>((resolve) => client.once('message', (data: Buffer) => resolve(data.toString()))),
  );
  await Promise.all(clients.map((client) => new Promise((resolve) => client.once('open', resolve))));
  const [first, ...others] = await Promise.all(messages);
  expect(new Set(others)).toEqual(new Set([first]));
  await Promise.all(
    clients.map((client) => {
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.terminate();
      return closed;
    }),
  );
});

/** Opens `count` WebSocket connections from another program and closes each: at the first byte, or with a reset at once. */
async function closedUpgrades(count: number, isReset: boolean): Promise<void> {
  const head = [
    ...['GET /ws HTTP/1.1', 'Host: 127.0.0.1', 'X-API-Key: first-token', 'Connection: Upgrade', 'Upgrade: websocket'],
    ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
  ].join('\r\n');
  const program = `
    let left = ${String(count)};
    const open = () => {
      if (left-- <= 0) return;
      const socket = require('node:net').connect(${String(node.daemon.ports.rpc)}, '127.0.0.1');
      socket.on('error', () => undefined).once('close', open);
      socket.write(${JSON.stringify(head)}, () => ${String(isReset)} && socket.resetAndDestroy());
      socket.once('data', () => socket.destroy());
    };
    for (let i = 0; i < 50; i++) open();`;
  await promisify(execFile)(process.execPath, ['-e', program]);
}

test('WebSocket connections that were passed to the node occupy nothing in a process', async () => {
  const before = pids();
  // More connections than two processes together may have open.
  await closedUpgrades(2_500, false);
  expect(new Set(whileNodeIsBlocked(20, 'first-token'))).toEqual(new Set([COUNT]));
  expect(pids()).toEqual(before);
});

test('a WebSocket client that resets its connection at once ends no process', async () => {
  const before = pids();
  await closedUpgrades(1_000, true);
  expect(new Set(whileNodeIsBlocked(20, 'first-token'))).toEqual(new Set([COUNT]));
  expect(pids()).toEqual(before);
});

test('a killed process is started again, and no connection is refused until then', async () => {
  const [victim = 0, other] = pids();
  process.kill(victim, 'SIGKILL');
  // A connection that the process has accepted before it dies is lost.
  while (pids().includes(victim)) await new Promise((resolve) => setImmediate(resolve));
  for (let polls = 0; pids().length < 2; polls++) {
    expect(await get('/nothing')).toMatch(/^404/);
    expect(polls).toBeLessThan(5_000);
  }
  expect(pids()).toContain(other);
  expect(nodeLogger?.lines.join('\n')).toContain('[rpc 1] an RPC process has ended and is started again');
});

test('a reload reaches the token of the processes', async () => {
  writeFileSync(tokenFile, 'second-token');
  for (const { run } of node.daemon.reload) await run();
  for (let polls = 0; !whileNodeIsBlocked(8, 'second-token').every((one) => one === COUNT); polls++) {
    expect(polls).toBeLessThan(50);
  }
  expect(new Set(whileNodeIsBlocked(8, 'first-token').map((text) => text.slice(0, 3)))).toEqual(new Set(['401']));
});

test('a WebSocket connection has the checks of its listener, whichever process accepts it', async () => {
  const both = await suite.node({
    args: [
      ...['--rpc-processes', '1', '--rpc-ipc-path', join(suite.folder(), 'node.sock'), '--enable-websocket'],
      ...['--rpc-bind-ip', '0.0.0.0', '--rpc-use-ipv6', '--rpc-bind-ipv6-address', '::1'],
    ],
  });
  const status = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: 'other.example' };
      new WebSocket(`ws://${host}:${String(both.daemon.ports.rpc)}/ws`, { headers })
        .once('open', function (this: WebSocket) {
          this.terminate();
          resolve(101);
        })
        .once('unexpected-response', (request, response) => {
          request.destroy();
          resolve(response.statusCode);
        })
        .once('error', reject);
    });
  const statuses = (host: string) => Promise.all(Array.from({ length: 12 }, () => status(host)));
  expect(new Set(await statuses('[::1]'))).toEqual(new Set([403]));
  expect(new Set(await statuses('127.0.0.1'))).toEqual(new Set([101]));
  await both.stop();
});

test('a process that cannot be started is tried again, and the start and stop of the node do not wait for it', async () => {
  const logger = createMemoryLogger('warning');
  const stopping = new AbortController();
  const config = readConfig(['--network', 'devnet', '--data-dir', suite.folder()]);
  const processes = new RpcProcesses({
    ...{ config, socket: '/nowhere', http: { servers: [] }, counters: new RequestCounters() },
    ...{ logger, stopping: stopping.signal },
  });
  const fork = jest.spyOn(childProcess, 'fork');
  fork.mockImplementation(() => spawn('/nowhere/node', { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  await processes.start(1);
  expect(processes.pids).toEqual([]);
  expect(logger.lines.join('\n')).toContain('ENOENT');
  stopping.abort();
  await processes.stop();
  fork.mockRestore();
});

test('the processes end with the node and release the port', async () => {
  const running = pids();
  const { rpc: port } = node.daemon.ports;
  const clients = await Promise.all(
    Array.from({ length: 12 }, () => {
      const client = new WebSocket(`${url().replace('http', 'ws')}/ws`, { headers: { 'x-api-key': 'second-token' } });
      return new Promise<WebSocket>((resolve) => client.once('open', () => resolve(client)));
    }),
  );
  await node.stop();
  expect(nodeLogger?.lines.join('\n')).not.toContain('is killed');
  for (const client of clients) client.terminate();
  for (const pid of running) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  const error = await new Promise<unknown>((resolve) => {
    connect(port, '127.0.0.1').once('error', resolve).once('connect', resolve);
  });
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});
