import type { AttemptLimiterOptions } from '@wrkz/wallet-server';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { createMemoryLogger, silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, freePort, StandInNode, Suite, type SuiteNode } from '@wrkz/testing';
import { knownWallet } from '../contract/world';
import { exercises } from '../support/exercises';
import { PASSWORD, TestService } from '../support/service';

exercises('rpc-key-file', 'rpc-bind-ip', 'port', 'rpc-bind-ipv6-address', 'rpc-use-ipv6', 'enable-cors');
exercises('trusted-proxy', 'wallet-dir', 'allow-any-path', 'skip-coinbase-transactions', 'rescan-from');
exercises('sync-max-blocks', 'daemon-failover', 'daemon-token', 'tx-pow-server', 'tx-pow-server-port');
exercises('tx-pow-server-ssl', 'tx-pow-server-key', 'rpc-ipc-path', 'rpc-ipc-mode', 'rpc-ipc-group', 'tx-notify');
exercises('notify-during-sync', 'notify-secret-file', 'no-console', 'log-level', 'log-file', 'log-format');
exercises('enable-metrics');

/* The effects of the options on a running program. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
let node: SuiteNode;
let folder: string;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-wallet-served-'));
  node = await suite.node({ from: await suite.chainA() });
});

afterAll(async () => {
  await suite.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});

async function serve(args: readonly string[], overrides: Parameters<typeof TestService.start>[1] = {}) {
  const service = await TestService.start(args, overrides);
  running.push(service);
  return service;
}

async function standIn(behind?: string): Promise<StandInNode> {
  const made = await StandInNode.start(behind);
  running.push({ stop: () => made.close() });
  return made;
}

interface Place {
  readonly host?: string;
  readonly port?: number;
  readonly socketPath?: string;
}

function statusOf(place: Place, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ ...place, path: '/status', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    clientRequest.on('error', reject).end();
  });
}

const KEY = { 'X-API-KEY': PASSWORD };

test('serves the port, both families, a second address and the local socket, each with the key', async () => {
  const port = await freePort();
  await serve(['--rpc-bind-ip', '::', '--port', String(port)], { port });
  expect(await statusOf({ host: '127.0.0.1', port }, KEY)).toBe(403);
  expect(await statusOf({ host: '::1', port }, KEY)).toBe(403);

  const path = join(folder, 'api.sock');
  const local = ['--rpc-ipc-path', path, '--rpc-ipc-mode', '0640', '--rpc-ipc-group', String(process.getgid?.() ?? 0)];
  const second = ['--rpc-use-ipv6', '--rpc-bind-ipv6-address', '::1'];
  const other = await freePort();
  await serve([...local, ...second, '--port', String(other)], { port: other });
  expect(await statusOf({ host: '::1', port: other }, KEY)).toBe(403);
  expect(await statusOf({ socketPath: path }, KEY)).toBe(403);
  expect(await statusOf({ socketPath: path }, {})).toBe(401);
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test('logs warnings for a second address and a socket that cannot be opened', async () => {
  const logger = createMemoryLogger();
  const path = join(folder, 'missing', 'api.sock');
  const args = ['--rpc-use-ipv6', '--rpc-bind-ipv6-address', '2001:db8::1', '--rpc-ipc-path', path];
  const service = await serve(args, { logger });
  expect(await service.json('GET', '/status')).toMatchObject({ status: 403 });
  const lines = JSON.stringify(logger);
  expect(lines).toContain('2001:db8::1');
  expect(lines).toContain('local socket');
});

test('sends the recorded CORS headers for routes, and none for unknown paths', async () => {
  const origin = 'https://shop.example';
  const service = await serve(['--enable-cors', origin]);
  for (const key of ['', PASSWORD]) {
    const { headers } = await service.request({ method: 'GET', path: '/status', key });
    expect(headers['access-control-allow-origin']).toBe(origin);
  }
  const none = await service.request({ method: 'GET', path: '/none' });
  expect(none.headers['access-control-allow-origin']).toBeUndefined();
  const requested = { 'Access-Control-Request-Method': 'POST', Origin: origin };
  const preflight = await service.request({ method: 'OPTIONS', path: '/wallet/open', key: '', headers: requested });
  expect(preflight).toMatchObject({
    status: 200,
    text: '',
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'OPTIONS, GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'Origin, X-Requested-With, Content-Type, Accept, X-API-KEY, Idempotency-Key',
    },
  });
});

test('delays attempts of an address after 100 wrong keys in a minute', async () => {
  let passSecond = (): void => undefined;
  let attempts: AttemptLimiterOptions = {};
  const waiting = new Promise<void>((isWaiting) => {
    const delay = (): Promise<void> => {
      isWaiting();
      return new Promise((resolve) => (passSecond = resolve));
    };
    attempts = { delay, random: () => 0 };
  });
  const service = await serve(['--trusted-proxy', '127.0.0.1'], { now: () => 60_000, attempts });
  const statusFor = async (key: string, client: string): Promise<number> =>
    (await service.request({ method: 'GET', path: '/status', key, headers: { 'X-Forwarded-For': client } })).status;
  const first = await Promise.all(Array.from({ length: 100 }, () => statusFor('wrong', '192.0.2.1')));
  expect(new Set(first)).toEqual(new Set([401]));
  const owner = statusFor(PASSWORD, '192.0.2.1');
  await waiting;
  const others = Array.from({ length: 16 }, () => statusFor('wrong', '192.0.2.1'));
  expect(await Promise.race(others)).toBe(429);
  expect([await statusFor(PASSWORD, '192.0.2.2'), await statusFor('wrong', '192.0.2.2')]).toEqual([403, 401]);
  passSecond();
  expect(await owner).toBe(403);
  expect(await statusFor(PASSWORD, '192.0.2.1')).toBe(403);
});

test('accepts keys of the key file, and requires a key for metrics', async () => {
  const file = join(folder, 'keys.json');
  const hash = createHash('sha256').update('a reading key').digest('hex');
  writeFileSync(file, JSON.stringify([{ name: 'reader', hash, scope: 'read' }]));
  const service = await serve(['--rpc-key-file', file, '--enable-metrics']);
  expect(await service.request({ method: 'GET', path: '/metrics', key: '' })).toMatchObject({ status: 401 });
  expect((await service.json('GET', '/metrics')).text).toContain('wrkz_wallet_open 0');
  const requested = { path: '/addresses/validate', method: 'POST', key: 'a reading key', body: '{"address":""}' };
  expect((await service.request(requested)).status).toBe(400);
  expect(await (await serve([])).json('GET', '/metrics')).toMatchObject({ status: 404 });
});

test('confines file names to --wallet-dir without --allow-any-path', async () => {
  const inside = await serve([]);
  const outside = `../${Date.now().toString(36)}.wallet`;
  const body = { filename: outside, password: '', daemonPort: 1 };
  for (const filename of [outside, '/etc/passwd', 'a\0b', 'x/../../y', '..', './.']) {
    const made = await inside.json('POST', '/wallet/create', { ...body, filename });
    expect(made).toMatchObject({ status: 400, text: expect.stringContaining('"errorCode":2') });
    const opened = await inside.json('POST', '/wallet/open', { ...body, filename });
    expect(opened).toMatchObject({ status: 400, text: expect.stringContaining('"errorCode":1') });
  }
  const free = await serve(['--allow-any-path']);
  expect((await free.json('POST', '/wallet/create', body)).status).toBe(200);
  expect(existsSync(join(free.folder, outside))).toBe(true);
  await free.json('DELETE', '/wallet');
  for (const end of ['', '.lock', '.db']) rmSync(join(free.folder, outside + end), { force: true });
});

test('passes the node options to the requests of the synchronization', async () => {
  const behind = await standIn(`http://127.0.0.1:${String(node.daemon.ports.rpc)}`);
  const receiver = await standIn();
  const received: string[] = [];
  receiver.on('/hook', ({ headers, body }) => {
    received.push(`${String(body['height'])} ${String(headers['webhook-signature'] !== undefined)}`);
    return { status: 200 };
  });
  const secret = join(folder, 'hook.secret');
  writeFileSync(secret, `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  const service = await serve([
    ...['--daemon-failover', `127.0.0.1:${String(behind.port)}`, '--daemon-token', 'a token', '--rescan-from', '30'],
    ...['--sync-max-blocks', '25', '--skip-coinbase-transactions', '--notify-during-sync'],
    ...['--tx-notify', `http://127.0.0.1:${String(receiver.port)}/hook`, '--notify-secret-file', secret],
  ]);
  service.copyWallet('alice.wallet');
  const body = { filename: 'alice.wallet', password: 'secret_alice', daemonPort: 1 };
  expect(await service.json('POST', '/wallet/open', body)).toMatchObject({ status: 200 });
  await service.synced(CHAIN_A_HEIGHT);
  const requests = behind.requestsTo('/getwalletsyncdata');
  expect(requests.length).toBeGreaterThanOrEqual(5);
  // Near the tip the wallet requests every block and drops the coinbases itself.
  expect(requests.some(({ body: members }) => members['skipCoinbaseTransactions'] === true)).toBe(true);
  for (const { body: members, headers } of requests) {
    expect(Number(members['blockCount'])).toBeLessThanOrEqual(25);
    expect(headers['x-api-key']).toBe('a token');
  }
  const { text } = await service.json('GET', '/status');
  expect(JSON.parse(text)).toMatchObject({ nodeSwitch: { to: expect.stringContaining(String(behind.port)) } });
  const page = await service.json('GET', '/transactions/30/721');
  const listed = (JSON.parse(page.text) as { transactions: { blockHeight: number }[] }).transactions;
  while (received.length < listed.length) await new Promise((resolve) => setImmediate(resolve));
  expect(received.sort()).toEqual(listed.map(({ blockHeight }) => `${String(blockHeight)} true`).sort());
  // Transactions below that height remain, and the next open does not scan again.
  const sent = '/transactions/privatekey/af457eac540ce2860d1e2ab37354d54d68748a19e85bfede088aa30d19654469';
  expect(await service.json('GET', sent)).toMatchObject({ status: 200 });
  const before = behind.requestsTo('/getwalletsyncdata').length;
  await service.json('DELETE', '/wallet');
  await service.json('POST', '/wallet/open', { ...body, daemonPort: behind.port });
  await service.synced(CHAIN_A_HEIGHT);
  const again = behind.requestsTo('/getwalletsyncdata').slice(before);
  expect(again.every(({ body: members }) => Number(members['startHeight'] ?? 0) !== 30)).toBe(true);
});

test('uses the proof-of-work server with its key, and local threads if the server fails', async () => {
  const helper = await standIn();
  helper.on('/base/pow', () => ({ status: 503 }));
  const service = await serve([
    ...['--tx-pow-server', '127.0.0.1/base', '--tx-pow-server-port', String(helper.port)],
    ...['--tx-pow-server-ssl=false', '--tx-pow-server-key', 'a key'],
  ]);
  service.copyWallet('alice.wallet');
  const open = { filename: 'alice.wallet', password: 'secret_alice', daemonPort: node.daemon.ports.rpc };
  await service.json('POST', '/wallet/open', open);
  await service.synced(CHAIN_A_HEIGHT);
  const body = { destination: knownWallet('bob').address, amount: 1000 };
  expect(await service.json('POST', '/transactions/send/basic', body)).toMatchObject({ status: 201 });
  expect(helper.requests.map(({ headers }) => headers['x-api-key'])).toContain('a key');
});

test('prints where it listens at the default log level, which logs nothing', async () => {
  const lines: string[] = [];
  const service = await TestService.start([], { write: (line) => lines.push(line) });
  running.push(service);
  expect(lines).toEqual([expect.stringMatching(/listens on 127\.0\.0\.1:\d+, network devnet, wallets in /)]);
});

test('writes a JSON log file and handles console input in a process', async () => {
  const program = join(__dirname, '..', '..', 'bin', 'wrkz-wallet-api.js');
  const run = async (
    input: 'pipe' | 'ignore',
    ...args: string[]
  ): Promise<{ code: number | null; log: string; output: string }> => {
    const log = join(folder, `${input}${args.length}.log`);
    const port = String(await freePort());
    const basics = ['-r', PASSWORD, '--network', 'devnet', '--wallet-dir', folder, '--port', port];
    const logging = ['--log-level', '3', '--log-file', log, '--log-format', 'json'];
    const child = spawn(process.execPath, [program, ...basics, ...logging, ...args], {
      stdio: [input, 'pipe', 'inherit'],
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    let output = '';
    const listens = new Promise<void>((resolve) => {
      child.stdout?.on('data', (text: Buffer) => {
        output += text.toString();
        if (output.includes('listens')) resolve();
      });
    });
    await Promise.race([listens, ended]);
    if (input === 'ignore' || args.length > 0) {
      child.stdin?.end('exit\n');
      expect(await statusOf({ host: '127.0.0.1', port: Number(port) }, KEY)).toBe(403);
      child.kill('SIGTERM');
    } else child.stdin?.end('help\n');
    const [code] = await ended;
    return { code, log: readFileSync(log, 'utf8'), output };
  };
  for (const [hasEnded, { code, log, output }] of [
    [true, await run('pipe')],
    [false, await run('pipe', '--no-console')],
    [false, await run('ignore')],
  ] as const) {
    expect(code).toBe(0);
    expect(output.includes('End of console input')).toBe(hasEnded);
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { message?: string; msg?: string });
    expect(JSON.stringify(lines)).toContain('listens on 127.0.0.1');
    expect(log).not.toContain(PASSWORD);
  }
});
