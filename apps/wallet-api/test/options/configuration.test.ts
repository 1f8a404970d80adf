import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EarlyExit, type OptionSpec, parseLogLevel } from '@wrkz/service-kit';
import { parseNodeAddress } from '@wrkz/wallet-server';
import { readWalletApiConfig, WALLET_API_OPTIONS } from '../../src';
import { walletListenAddresses } from '../../src/config';
import { WALLET_LOG_SCALE } from '../../src/options';
import { exercises } from '../support/exercises';

exercises('help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config');
exercises('rpc-password', 'threads', 'network', 'scan-coinbase-transactions', 'sync-windows');
exercises('log-max-size', 'log-max-files');

const specs: readonly OptionSpec[] = WALLET_API_OPTIONS;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-wallet-options-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const refused = (...args: string[]): { code: number; text: string } => {
  try {
    readWalletApiConfig(args);
  } catch (error) {
    if (error instanceof EarlyExit) return { code: error.exitCode, text: error.message };
    throw error;
  }
  throw new Error('it was taken');
};

test('lists every option in --help and exits with 0', () => {
  const { code, text } = refused('--help');
  expect(code).toBe(0);
  expect(specs.filter(({ name }) => !text.includes(`--${name}`)).map(({ name }) => name)).toEqual([]);
  expect(refused('-h')).toEqual({ code, text });
  for (const name of ['--version', '-v']) expect(refused(name).text).toMatch(/^wrkz-wallet-api \d+\.\d+\.\d+\.\d+$/);
});

test('dumps, saves, reads and explains the configuration without printing secrets', () => {
  const saved = join(folder, 'saved.json');
  const args = ['-r', 'a-secret', '--daemon-token', 'b-secret', '--network', 'devnet', '--threads', '3'];
  expect(refused('--dump-config', ...args).text).not.toMatch(/[ab]-secret/);
  expect(refused('--explain-config', ...args).text).toMatch(/^threads +3 +command line$/m);
  expect(refused('--save-config', saved, ...args).code).toBe(0);
  const { options, threads, network } = readWalletApiConfig(['-c', saved]);
  expect({ threads, name: network.name }).toEqual({ threads: 3, name: 'devnet' });
  expect(options).toEqual(readWalletApiConfig(args).options);
  const file = join(folder, 'wallet.conf');
  writeFileSync(file, 'rpc-password=key\nskip-coinbase=true\nport=1234\n');
  expect(readWalletApiConfig(['--config-file', file, '--port', '5']).options).toMatchObject({
    'rpc-password': 'key',
    'skip-coinbase-transactions': true,
    port: 5,
  });
  writeFileSync(file, 'rpc-pasword=key\n');
  expect(refused('--config-file', file)).toMatchObject({ code: 1, text: expect.stringContaining('rpc-pasword') });
  expect(readFileSync(saved, 'utf8')).toContain('a-secret');
});

test('warns about options without effect', () => {
  const of = (...args: string[]): readonly string[] => readWalletApiConfig(['-r', 'key', ...args]).warnings;
  expect(of()).toEqual([]);
  expect(of('--sync-windows')).toEqual([expect.stringContaining('sync-windows')]);
  expect(of('--rpc-use-ipv6')).toEqual([expect.stringContaining('has no effect')]);
  expect(of('--rpc-bind-ipv6-address', '::1')).toEqual([expect.stringContaining('has no effect')]);
  expect(of('--scan-coinbase-transactions')).toEqual([]);
});

test('derives the listen addresses from the options', () => {
  const of = (...args: string[]) => walletListenAddresses(readWalletApiConfig(['-r', 'key', ...args]));
  const portOption = 'port';
  expect(of()).toEqual([{ host: '127.0.0.1', port: 7856, portOption }]);
  expect(of('-p', '9', '--rpc-bind-ip', '::')).toEqual([{ host: '::', port: 9, portOption }]);
  expect(of('--rpc-use-ipv6', '--rpc-bind-ipv6-address', '::1')).toEqual([
    { host: '127.0.0.1', port: 7856, portOption },
    { host: '::1', port: 7856, required: false, portOption },
  ]);
});

/** An invalid value of each option; the omitted ones accept any text or are switches. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  'rpc-password': ['a\u0001b', ' a', ''],
  'rpc-key-file': ['/no/such/file', '/'],
  'rpc-bind-ip': ['300.1.1.1', 'no host', ''],
  port: ['0', '65536', '-1', '1.5', 'x', ''],
  'rpc-bind-ipv6-address': ['127.0.0.1x', 'x y'],
  'enable-cors': ['http://a/', 'example.org', 'http://a b'],
  'trusted-proxy': ['300.1.1.1', 'x'],
  threads: ['0', '-1', '1025', '1.5', 'x'],
  network: ['testnet', 'Mainnet', ''],
  'rescan-from': ['-1', '1.5', 'x', '1e400', '18446744073709551616'],
  'sync-max-blocks': ['0', '10001', '1.5', 'x'],
  'daemon-failover': ['host', 'host:0', 'host:65536', ':1', 'a b:1'],
  'tx-pow-server': ['ftp://a', 'a b'],
  'tx-pow-server-port': ['0', '65536', 'x'],
  'rpc-ipc-path': ['relative/path', `/${'a'.repeat(200)}`],
  'rpc-ipc-mode': ['999', 'x', '77777'],
  'log-level': ['6', '-1', 'loud'],
  'log-max-size': ['-1', 'x'],
  'log-max-files': ['-1', 'x', '1.5'],
  'log-format': ['xml'],
};

test.each(Object.entries(WRONG).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  '--%s=%j is refused with exit code 1 and an error that names the option',
  (name, value) => {
    const { code, text } = refused('-r', 'key', `--${name}=${value}`);
    expect(code).toBe(1);
    if (name !== 'rpc-password') expect(text).toMatch(new RegExp(`${name}|Thread count|Log level`, 'i'));
    expect(text).not.toMatch(/\n +at /);
  },
);

test('rejects boolean options with other values than yes and no', () => {
  for (const { name } of specs.filter(({ default: value }) => typeof value === 'boolean')) {
    expect(refused('-r', 'key', `--${name}=maybe`).code).toBe(1);
  }
});

test('refuses to start without a password and prints the help', () => {
  for (const args of [[], ['-r', '']]) {
    const { code, text } = refused(...args);
    expect(code).toBe(1);
    expect(text).toMatch(/^You must specify an rpc-password!\n[^]*--rpc-bind-ip/);
  }
});

test('rejects values out of range with the texts of the C++ program', () => {
  expect(refused('-r', 'key', '--threads', '0').text).toContain('Thread count must be at least 1');
  expect(refused('-r', 'key', '--log-level', '6').text).toContain('Log level must be between 0 and 5!');
  expect(refused('-r', 'key', '--scan-coinbase-transactions', '--skip-coinbase').text).toContain(
    '--scan-coinbase-transactions and --skip-coinbase-transactions cannot be used together',
  );
  expect(refused('-r', 'key', '--rpc-ipc-mode', '999').text).toContain(
    'rpc-ipc-mode must be octal permissions such as 0600, got: 999',
  );
  expect(refused('-r', 'key', '--no-such-option').code).toBe(1);
});

test('has the defaults of the C++ program', () => {
  const { options, network, keys } = readWalletApiConfig(['-r', 'key']);
  expect(options).toMatchObject({ port: 7856, 'rpc-bind-ip': '127.0.0.1', 'log-level': '0', 'enable-cors': '' });
  expect(network.name).toBe('mainnet');
  expect(keys).toEqual([]);
});

test('numbers the log levels from 0, which disables logging', () => {
  const levels = ['0', '1', '2', '3', '4', '5'].map((level) => parseLogLevel(level, WALLET_LOG_SCALE));
  expect(levels).toEqual(['disabled', 'fatal', 'warning', 'info', 'debug', 'trace']);
});

test('accepts failover nodes as host:port and as sockets', () => {
  expect(parseNodeAddress('node.example:17856')).toEqual({ host: 'node.example', port: 17856 });
  expect(parseNodeAddress('[::1]:17856/base')).toEqual({ host: '[::1]/base', port: 17856 });
  expect(parseNodeAddress('ipc:///run/node.sock')).toEqual({ host: 'ipc:///run/node.sock', port: 0 });
  for (const wrong of ['', 'host', 'host:0', 'host:70000', ':17856']) expect(parseNodeAddress(wrong)).toBeUndefined();
});
