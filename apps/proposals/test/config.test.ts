import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSource } from '@wrkz/testing/source';
import { parseCommandLine, PROPOSALS_OPTIONS, readProposalsConfig } from '../src';
import { ADMIN_COMMANDS } from '../src/admin/commands';
import { startService, stopAll, temporaryFolder } from './support/service';
import { json, send } from './support/http-client';

afterEach(stopAll);

const read = (...args: string[]) => readProposalsConfig(args);

test('has the documented defaults', () => {
  const { options, folder, trustedProxies } = read();
  expect(options).toMatchObject({
    'bind-ip': '127.0.0.1',
    'bind-port': 17880,
    'rate-limit': 600,
    'qr-limit': 20,
    'wallet-poll': 30,
    network: 'mainnet',
    demo: false,
  });
  expect([folder.network, trustedProxies]).toEqual(['mainnet', []]);
  expect(folder.directory).toMatch(/\.wrkzcoin-suite[/\\]proposals$/);
});

test('each network has its own folder', () => {
  expect(read('--network', 'devnet', '--data-dir', '/x').folder).toEqual({
    directory: join('/x', 'devnet'),
    network: 'devnet',
  });
  expect(read('--data-dir', '/x').folder).toEqual({ directory: '/x', network: 'mainnet' });
});

test.each([
  [['--bind-port', '0'], '--bind-port: 0 is out of range'],
  [['--bind-ip', ''], '--bind-ip: an IP address is expected'],
  [['--bind-ip', 'localhost'], '--bind-ip: an IP address is expected'],
  [['--bind-ipv6-address', 'x'], '--bind-ipv6-address'],
  [['--trusted-proxy', '10.0.0.0/99'], '--trusted-proxy: 10.0.0.0/99 is not an address or range'],
  [['--network', 'testnet'], '--network: expected one of'],
  [['--rate-limit', '-1'], '--rate-limit: -1 is out of range'],
  [['--qr-limit', 'many'], '--qr-limit: expected a whole number'],
  [['--wallet-poll', '0'], '--wallet-poll: 0 is out of range'],
  [['--public-url', 'proposals.example'], '--public-url: must be a URL'],
  [['--wallet-api', '127.0.0.1:7856', '--wallet-api-key', 'k'], '--wallet-api: must be a URL'],
  [['--wallet-rpc', 'ftp://x'], '--wallet-rpc: must be a URL'],
  [['--wallet-api', 'http://127.0.0.1:1'], '--wallet-api needs --wallet-api-key'],
  [['--wallet-api-key', 'k'], '--wallet-api-key needs --wallet-api'],
  [['--wallet-rpc-password', 'k'], '--wallet-rpc-password needs --wallet-rpc'],
  [
    ['--wallet-api', 'http://a', '--wallet-api-key', 'k', '--wallet-rpc', 'http://b'],
    '--wallet-api and --wallet-rpc cannot be used together',
  ],
  [['--demo', '--wallet-rpc', 'http://b'], '--demo cannot be used with a wallet'],
  [['--log-level', '7'], '--log-level: must be one of'],
  [['--reward', '1'], 'unknown option --reward'],
  [['admin'], 'expected one of admin add'],
  [['admin', 'add'], '<file> is missing'],
  [['admin', 'list', 'x'], 'unexpected argument x'],
])('rejects %j', (args, text) => {
  expect(() => parseCommandLine(args)).toThrow(text);
});

test('prints no keys', () => {
  expect(() => read('--wallet-api', 'http://a', '--wallet-api-key', 'hidden', '--dump-config')).toThrow(
    /"wallet-api-key": "\*\*\*"/,
  );
  expect(read('--wallet-rpc', 'http://a', '--wallet-rpc-password', 'hidden').secrets).toEqual(['hidden']);
});

test('a configuration file accepts every option, also for the commands of the operator', () => {
  const file = join(temporaryFolder(), 'proposals.conf');
  writeFileSync(
    file,
    'data-dir=/x\nbind-port=17999\nwallet-rpc=http://127.0.0.1:1\nwallet-rpc-password=p\ntrusted-proxy=10.0.0.1, 10.0.0.2\n',
  );
  const { options, folder, trustedProxies } = read('--config-file', file, '--bind-port', '18000');
  expect([options['bind-port'], options['wallet-rpc'], folder.directory, trustedProxies]).toEqual([
    18000,
    'http://127.0.0.1:1',
    '/x',
    ['10.0.0.1', '10.0.0.2'],
  ]);
  const parsed = parseCommandLine(['admin', 'list', '--config-file', file]);
  expect(parsed.values['data-dir']).toBe('/x');
});

test('docs/operations/proposals.md names every option and command', () => {
  const page = readFileSync(join(__dirname, '../../../docs/operations/proposals.md'), 'utf8');
  const missing = PROPOSALS_OPTIONS.filter(({ name }) => !page.includes(`| \`--${name}`)).map(({ name }) => name);
  expect(missing).toEqual([]);
  expect(
    ADMIN_COMMANDS.filter(({ name }) => !page.includes(`\`${name} `) && !page.includes(`\`${name}\``)).map(
      ({ name }) => name,
    ),
  ).toEqual([]);
  const ofCommands = ADMIN_COMMANDS.flatMap(({ options }) => options.map(({ name }) => name));
  expect([...new Set(ofCommands)].filter((name) => !page.includes(`--${name}`))).toEqual([]);
});

test('--demo needs and creates no folder, and serves samples that are labelled as such', async () => {
  const folder = join(temporaryFolder(), 'never');
  const { url } = await startService(['--demo', '--data-dir', folder]);
  const { data } = json(await send(url, '/api/1/proposals?status=2')) as { data: { funded_pct: number }[] };
  expect(data.map(({ funded_pct }) => funded_pct)).toEqual([43.5, 1.02]);
  expect((await send(url, '/')).text).toMatch(/Send\s+no\s+coins/);
  expect(existsSync(folder)).toBe(false);
});

test('an empty folder shows how to start, and labels devnet as such', async () => {
  const { url, folder } = await startService(['--network', 'devnet']);
  const { status, text } = await send(url, '/');
  expect(status).toBe(200);
  expect(text).toContain('wrkz-proposals admin add proposal.md');
  expect(text).toContain('This is devnet.');
  expect(existsSync(join(folder, 'devnet', 'proposals.sqlite'))).toBe(true);
});

test('--public-url makes absolute links in the feed', async () => {
  const { url, add } = await startService(['--public-url', 'https://p.example/']);
  const id = add();
  expect((await send(url, '/feed.xml')).text).toContain(`href="https://p.example/proposal/${id}"`);
});

test('opens a second listener on IPv6, and limits clients behind a trusted proxy', async () => {
  const { service, url } = await startService([
    '--bind-ipv6-address',
    '::1',
    '--rate-limit',
    '2',
    '--trusted-proxy',
    '127.0.0.1,::1',
  ]);
  const request = async (base: string, address: string) =>
    (await send(base, '/api/1/proposals', { headers: { 'x-real-ip': address } })).status;
  const six = `http://[::1]:${service.port}`;
  const reachable = await send(six, '/livez').then(
    () => true,
    () => false,
  );
  expect([
    await request(url, '203.0.113.1'),
    await request(url, '203.0.113.1'),
    await request(url, '203.0.113.1'),
    await request(url, '203.0.113.2'),
  ]).toEqual([200, 200, 429, 200]);
  // Without IPv6 the service logs a warning and opens no second listener.
  if (reachable) expect(await request(six, '203.0.113.1')).toBe(429);
});

test('a port in use fails the start before a file is created', async () => {
  const { service } = await startService();
  const folder = join(temporaryFolder(), 'never');
  const started = runSource(join(__dirname, '../src/main.ts'), [
    '--bind-port',
    String(service.port),
    '--data-dir',
    folder,
  ]);
  expect(started.code).toBe(1);
  expect(started.stderr).toMatch(/cannot listen on .*Choose another with --bind-port/);
  expect(existsSync(folder)).toBe(false);
});

test('--log-file contains the start; --enable-metrics, --log-format, --log-max-size and --log-max-files are accepted', async () => {
  const log = join(temporaryFolder(), 'log');
  const print = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const started = await startService([
    '--log-level',
    'info',
    '--log-file',
    log,
    '--log-format',
    'json',
    '--log-max-size',
    '1',
    '--log-max-files',
    '1',
    '--enable-metrics',
  ]);
  await started.stop();
  await started.service.logger.close();
  expect(print).toHaveBeenCalledWith(expect.stringContaining('"message":"wrkz-proposals'));
  print.mockRestore();
  expect(readFileSync(log, 'utf8')).toContain('wrkz-proposals');
});
