import { EarlyExit, parseLogLevel } from '@wrkz/service-kit';
import { readWalletApiConfig } from '../src';
import { readFailover, WALLET_LOG_SCALE } from '../src/config/options';

const refused = (...args: string[]): { code: number; text: string } => {
  try {
    readWalletApiConfig(args);
  } catch (error) {
    if (error instanceof EarlyExit) return { code: error.exitCode, text: error.message };
    throw error;
  }
  throw new Error('it was taken');
};

test('without a password the help is shown and the start refused', () => {
  for (const args of [[], ['-r', '']]) {
    const { code, text } = refused(...args);
    expect(code).toBe(1);
    expect(text).toMatch(/^You must specify an rpc-password!\n[^]*--rpc-bind-ip/);
  }
});

test('what is out of bounds is refused in the words of the reference', () => {
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

test('the defaults are those of the reference', () => {
  const { options, network, keys } = readWalletApiConfig(['-r', 'key']);
  expect(options).toMatchObject({ port: 7856, 'rpc-bind-ip': '127.0.0.1', 'log-level': '0', 'enable-cors': '' });
  expect(network.name).toBe('mainnet');
  expect(keys).toEqual([]);
});

test('the log levels count from 0, which is off', () => {
  const levels = ['0', '1', '2', '3', '4', '5'].map((level) => parseLogLevel(level, WALLET_LOG_SCALE));
  expect(levels).toEqual(['disabled', 'fatal', 'warning', 'info', 'debug', 'trace']);
});

test('nodes to fail over to are hosts with ports, and sockets', () => {
  expect(readFailover('node.example:17856')).toEqual({ host: 'node.example', port: 17856 });
  expect(readFailover('[::1]:17856/base')).toEqual({ host: '[::1]/base', port: 17856 });
  expect(readFailover('ipc:///run/node.sock')).toEqual({ host: 'ipc:///run/node.sock', port: 0 });
  for (const wrong of ['', 'host', 'host:0', 'host:70000', ':17856']) expect(readFailover(wrong)).toBeUndefined();
});
