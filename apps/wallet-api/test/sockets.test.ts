import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:http';
import { PassThrough } from 'node:stream';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryLogger } from '@wrkz/service-kit';
import { PASSWORD, TestService } from './support/service';

const services: TestService[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-sockets-'));
});

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(...given: Parameters<typeof TestService.start>): Promise<TestService> {
  const service = await TestService.start(...given);
  services.push(service);
  return service;
}

/** The status of a request. On `/status`, 403 means that the key is correct and no wallet is open. */
function statusOf(at: RequestOptions, key = PASSWORD, path = '/status'): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = key === '' ? {} : { 'X-API-KEY': key };
    const outgoing = request({ ...at, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const testWithIpv6 = hasIpv6 ? test : test.skip;

test('requires the key on the local socket and applies --rpc-ipc-mode', async () => {
  const path = join(folder, 'api.sock');
  await serve(['--rpc-ipc-path', path, '--rpc-ipc-mode', '0640']);
  expect(await statusOf({ socketPath: path })).toBe(403);
  expect(await statusOf({ socketPath: path }, '')).toBe(401);
  expect(await statusOf({ socketPath: path }, 'wrong')).toBe(401);
  expect(await statusOf({ socketPath: path }, '', '/livez')).toBe(200);
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test('logs a warning and serves the port if the local socket cannot be opened', async () => {
  const path = join(folder, 'not-a-socket');
  writeFileSync(path, 'something of somebody');
  const logger = createMemoryLogger();
  const service = await serve(['--rpc-ipc-path', path], { logger });
  expect(await statusOf({ host: '127.0.0.1', port: service.api.port })).toBe(403);
  expect(logger.entries.map(({ message }) => message).join('\n')).toContain('the local socket could not be opened');
});

testWithIpv6('serves both families on ::, and IPv6 on a second listener', async () => {
  const both = await serve(['--rpc-bind-ip', '::']);
  for (const host of ['127.0.0.1', '::1']) {
    expect(await statusOf({ host, port: both.api.port })).toBe(403);
    expect(await statusOf({ host, port: both.api.port }, 'wrong')).toBe(401);
  }
  const second = await serve(['--rpc-use-ipv6', '--rpc-bind-ipv6-address', '::1']);
  expect(await statusOf({ host: '::1', port: second.api.port })).toBe(403);
  expect(await statusOf({ host: '127.0.0.1', port: second.api.port })).toBe(403);
});

test('logs a warning if the second listener fails, and opens none without both options', async () => {
  const logger = createMemoryLogger();
  const service = await serve(['--rpc-use-ipv6', '--rpc-bind-ipv6-address', '2001:db8::1'], { logger });
  expect(await statusOf({ host: '127.0.0.1', port: service.api.port })).toBe(403);
  expect(logger.entries.some(({ level }) => level === 'warning')).toBe(true);
  const alone = createMemoryLogger();
  await serve(['--rpc-bind-ipv6-address', '::1'], { logger: alone });
  expect(alone.entries.map(({ message }) => message).join('\n')).toContain('has no effect without --rpc-use-ipv6');
});

test('ignores keys in the query and bearer tokens', async () => {
  const service = await serve([]);
  const at = { host: '127.0.0.1', port: service.api.port };
  expect(await statusOf(at, '', `/status?X-API-KEY=${encodeURIComponent(PASSWORD)}`)).toBe(401);
  expect(await statusOf({ ...at, auth: `user:${PASSWORD}` }, '')).toBe(401);
});

test('does not lock out the owner after 110 requests without a key', async () => {
  const service = await serve([], { now: () => 60_000_000 });
  const at = { host: '127.0.0.1', port: service.api.port };
  for (let i = 0; i < 110; i++) expect(await statusOf(at, '')).toBe(401);
  expect(await statusOf(at)).toBe(403);
});

test('stops at exit, quit and the end of the console input', async () => {
  for (const end of ['exit\n', 'QUIT\n', undefined]) {
    const input = new PassThrough();
    const output: string[] = [];
    let line = (): void => undefined;
    const left = new Promise<void>((leave) => {
      void serve([], {
        input,
        write: (text) => {
          output.push(text);
          line();
        },
        requestStop: () => leave(),
      }).then(() => input.write('help\nfly\n'));
    });
    while (!output.some((text) => text.includes('fly'))) await new Promise<void>((resolve) => (line = resolve));
    expect(output.join('\n')).toMatch(/exit, quit[^]*Unknown command: fly/);
    if (end === undefined) input.end();
    else input.write(end);
    await left;
  }
});

test('requires the key for metrics, and publishes no values without an open wallet', async () => {
  const service = await serve(['--enable-metrics']);
  expect((await service.request({ method: 'GET', path: '/metrics', key: '' })).status).toBe(401);
  const { text } = await service.request({ method: 'GET', path: '/metrics' });
  expect(text).toMatch(/^wrkz_wallet_open 0$/m);
  expect(text).not.toMatch(/^wrkz_wallet_height/m);
  const without = await serve();
  expect((await without.request({ method: 'GET', path: '/metrics' })).status).toBe(404);
});
