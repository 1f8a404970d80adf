import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetPath, createMemoryLogger, UsageError, VERSION } from '@wrkz/service-kit';
import { OPTIONS, PowHelper, readPowHelperConfig } from '../src';
import { sendRequest, startHelper, stopAll } from './support/helper';
import { startInstance } from './support/instance';

afterEach(stopAll);

test('the defaults are those of the operations page', () => {
  expect(readPowHelperConfig([]).options).toMatchObject({
    'bind-ip': '127.0.0.1',
    'bind-port': 17870,
    'bind-ipv6-address': undefined,
    'trusted-proxy': [],
    threads: 0,
    'rate-limit': 60,
    'max-jobs-per-minute': 120,
    'max-queue': 64,
    'max-difficulty': 1_000_000,
    'max-wait-ms': 30_000,
    'job-timeout': 600,
    'result-ttl': 300,
    'api-key': undefined,
    'enable-cors': '',
    'log-level': 'info',
    'log-file': undefined,
    'enable-metrics': false,
    network: 'mainnet',
    queue: undefined,
  });
});

test('docs/operations/pow-helper.md lists every option and no other', () => {
  const page = readFileSync(assetPath('docs/operations/pow-helper.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`--[^|]*)\|/gm)];
  const listed = rows.flatMap(([, cell = '']) => [...cell.matchAll(/`--([a-z0-9-]+)`/g)].map((match) => match[1]));
  expect(listed.sort()).toEqual(OPTIONS.map(({ name }) => name as string).sort());
});

test.each([
  ['--max-queue', '0'],
  ['--max-difficulty', '0'],
  ['--bind-port', '0'],
  ['--bind-port', '65536'],
  ['--log-level', 'loud'],
  ['--network', 'testnet'],
  ['--enable-cors', 'https://wallet.example/'],
  ['--enable-cors', 'wallet.example'],
  ['--trusted-proxy', 'proxy.example'],
  ['--queue', 'http://localhost'],
  ['--threads', 'many'],
  ['--no-such-option', '1'],
])('%s %s is refused at the start with a reason', (name, value) => {
  expect(() => readPowHelperConfig([name, value])).toThrow(UsageError);
});

test('log levels are case folded, origins may be * and null, lists may be comma separated', () => {
  expect(readPowHelperConfig(['--log-level', 'WARNING']).options['log-level']).toBe('WARNING');
  for (const origin of ['*', 'null', 'http://a.b:80'])
    expect(readPowHelperConfig(['--enable-cors', origin])).toBeDefined();
  expect(readPowHelperConfig(['--trusted-proxy', '10.0.0.1, 10.1.0.0/16', '--trusted-proxy', '::1'])).toBeDefined();
});

test('GET / returns name and version', async () => {
  const { url } = await startHelper();
  expect((await sendRequest(url)).body).toEqual({
    name: 'wrkz-txpow-server',
    version: VERSION,
    endpoints: ['POST /pow', 'GET /pow/<job_id>', 'DELETE /pow/<job_id>', 'GET /stats', 'GET /health'],
  });
});

test('the second listener serves; its failure is a warning, a failure of the first ends the start', async () => {
  const both = await startHelper(['--bind-ipv6-address', '::1']);
  expect((await sendRequest(`http://[::1]:${both.helper.port}/health`)).status).toBe(200);

  const logger = createMemoryLogger();
  const one = new PowHelper(readPowHelperConfig(['--bind-ipv6-address', '2001:db8::1']), { port: 0, logger });
  await one.start();
  expect((await sendRequest(`http://127.0.0.1:${one.port}/health`)).status).toBe(200);
  expect(logger.lines.some((line) => line.includes('2001:db8::1'))).toBe(true);
  await one.stop();

  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const late = new PowHelper(readPowHelperConfig(['--log-level', 'disabled']), { port });
  await expect(late.start()).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
  taken.close();
});

test('an empty address disables the second listener', async () => {
  expect(() => readPowHelperConfig(['--bind-ip='])).toThrow('--bind-ip: an IP address is expected');
  expect(() => readPowHelperConfig(['--bind-ipv6-address', 'localhost'])).toThrow('--bind-ipv6-address: an IP address');
  const logger = createMemoryLogger();
  const helper = new PowHelper(readPowHelperConfig(['--bind-ipv6-address=']), { port: 0, logger });
  await helper.start();
  await expect(fetch(`http://[::1]:${helper.port}/health`)).rejects.toThrow();
  expect(logger.lines.filter((line) => line.includes('cannot listen'))).toEqual([]);
  await helper.stop();
});

test('a port in use ends the start before a log file is created', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const directory = mkdtempSync(join(tmpdir(), 'wrkz-helper-'));
  try {
    const start = startInstance(['--log-file', join(directory, 'helper.log')], port);
    await expect(start).rejects.toThrow(`cannot listen on 127.0.0.1:${String(port)}`);
    expect(readdirSync(directory)).toEqual([]);
  } finally {
    taken.close();
    rmSync(directory, { recursive: true });
  }
});

test('metrics have a bucket for long polls, and a route label for OPTIONS', async () => {
  const { url } = await startHelper(['--enable-metrics', '--max-wait-ms', '45000']);
  await sendRequest(`${url}/pow/${'0'.repeat(32)}?wait_ms=1`);
  await sendRequest(`${url}/pow/${'0'.repeat(32)}`, { method: 'OPTIONS' });
  const { text } = await sendRequest(`${url}/metrics`);
  for (const end of ['40', '45', '50']) {
    expect(text).toContain(`http_request_seconds_bucket{le="${end}",method="GET",route="/pow/{id}"} 1`);
  }
  expect(text).toContain('http_requests_total{method="OPTIONS",route="/pow/{id}",status="204"} 1');
  expect(text).toContain('wrkz_pow_helper_queue_up 1');
});

test('metrics are served only if enabled', async () => {
  const off = await startHelper();
  expect((await sendRequest(`${off.url}/metrics`)).status).toBe(404);
  const { url } = await startHelper(['--enable-metrics']);
  await sendRequest(`${url}/health`);
  const { text } = await sendRequest(`${url}/metrics`);
  for (const name of ['jobs_total', 'queue_waiting', 'hashes_total', 'hashrate', 'solve_seconds']) {
    expect(text).toContain(`wrkz_pow_helper_${name}`);
  }
  // One dashboard serves all programs of the suite, so common metrics have common names.
  for (const name of ['http_requests_total', 'http_request_seconds_bucket', 'process_cpu_seconds_total']) {
    expect(text).toMatch(new RegExp(`^${name}`, 'm'));
  }
});
