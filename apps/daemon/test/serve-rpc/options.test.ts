import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EarlyExit } from '@wrkz/service-kit';
import { DAEMON_OPTIONS } from '../../src/config/options';
import { readServeRpc, SERVE_RPC_REFUSALS, type ServeRpcConfig } from '../../src/serve-rpc/config';
import { SERVE_RPC_OPTIONS } from '../../src/serve-rpc/config';
import { temporaryDirectory } from '../support/temporary';

const read = (...argv: string[]): ServeRpcConfig | undefined => readServeRpc(argv, DAEMON_OPTIONS);
const LEAST = ['serve-rpc', '--node-socket', '/run/node.sock', '--rpc-bind-port', '0'];

function refused(...argv: string[]): { readonly code: number; readonly text: string } {
  try {
    read(...argv);
  } catch (error) {
    if (error instanceof EarlyExit) return { code: error.exitCode, text: error.message };
    throw error;
  }
  throw new Error('it was taken');
}

test('leaves other command lines to the daemon', () => {
  expect(read('--network', 'devnet')).toBeUndefined();
  expect(read('--data-dir', 'serve-rpc')).toBeUndefined();
});

test('starts with the minimum of options', () => {
  const config = read('--', ...LEAST, '--simnet', '--data-dir', '/srv/chain');
  expect(config).toMatchObject({ directory: '/srv/chain/simnet', nodeSocket: '/run/node.sock', rpcPort: 0 });
  expect(config?.network.name).toBe('simnet');
  expect(config?.warnings).toEqual([]);
  expect(read(...LEAST.slice(0, 1), '--node-socket', 'ipc://@node', '--rpc-bind-port', '18000')?.nodeSocket).toBe(
    '@node',
  );
});

test.each<[keyof typeof SERVE_RPC_REFUSALS, string[]]>([
  ['noDataDir', [...LEAST, '--data-dir', '']],
  ['twoNetworks', [...LEAST, '--simnet', '--network', 'devnet']],
  ['noNodeSocket', ['serve-rpc', '--rpc-bind-port', '0']],
  ['noSocketAddress', ['serve-rpc', '--node-socket', '127.0.0.1:17856', '--rpc-bind-port', '0']],
  ['ownSocket', [...LEAST, '--rpc-ipc-path', '/run/node.sock']],
  ['twoAccessTokens', [...LEAST, '--rpc-access-token', 'x', '--rpc-access-token-file', 'y']],
  ['noPort', ['serve-rpc', '--node-socket', '/run/node.sock']],
  ['systemPort', [...LEAST, '--rpc-bind-port', '80']],
])('rejects with a text: %s', (name, argv) => {
  expect(refused(...argv)).toEqual({ code: 1, text: SERVE_RPC_REFUSALS[name].text });
});

test('every refusal has a case above', () => {
  expect(Object.keys(SERVE_RPC_REFUSALS)).toHaveLength(8);
});

test('rejects unknown options and stray arguments', () => {
  expect(refused(...LEAST, '--prune').text).toMatch(/unknown option --prune/);
  expect(refused(...LEAST, 'twice').text).toMatch(/unexpected argument twice/);
  expect(refused(...LEAST, '--node-socket', `/${'x'.repeat(200)}`).text).toMatch(
    /--node-socket: a socket path has at most/,
  );
});

test('prints every option with --help, one line with --version', () => {
  const help = refused('serve-rpc', '--help');
  expect(help.code).toBe(0);
  for (const { name } of SERVE_RPC_OPTIONS) expect(help.text).toContain(`--${name}`);
  expect(refused('serve-rpc', '--version')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^wrkz-daemon \d/) as string,
  });
});

test('reads a configuration file of the node, and ignores options that are not for readers', () => {
  const file = join(temporaryDirectory(), 'node.ini');
  writeFileSync(
    file,
    'network=devnet\ndata-dir=/srv/chain\nprune=1\nenable-mining=false\nrpc-max-rpm=7\nrpc-access-token=secret-of-many\n',
  );
  const config = read(...LEAST, '--config-file', file);
  expect(config).toMatchObject({ directory: '/srv/chain/devnet', secrets: ['secret-of-many'] });
  expect(config?.options['rpc-max-rpm']).toBe(7);
});

test('warns about a public reader without a token', () => {
  expect(read(...LEAST, '--rpc-bind-ip', '0.0.0.0')?.warnings.join()).toMatch(/open to everybody/);
});

test('docs/operations/readers.md names every option', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/operations/readers.md'), 'utf8');
  const missing = SERVE_RPC_OPTIONS.filter(({ name }) => !page.includes(`\`--${name}\``)).map(({ name }) => name);
  expect(missing).toEqual([]);
});
